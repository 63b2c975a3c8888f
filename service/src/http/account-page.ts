import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { FastifyInstance, FastifyReply } from 'fastify'

const FOLDER = new URL('./account-page/', import.meta.url)
const CACHE_CONTROL = 'private, max-age=60'
/** Allows no content of other hosts and no inline scripts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page on which users see their account and create keys. */
export function addAccountPage(app: FastifyInstance): void {
  const page = read('page.html')
  const style = read('style.css')
  const script = stripTypeScriptTypes(read('browser.ts'))
  app.get('/account', (_request, reply) => sendPage(reply, page))
  app.get('/account/style.css', (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', CACHE_CONTROL).send(style),
  )
  app.get('/account/browser.js', (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', CACHE_CONTROL).send(script),
  )
}

/** Shown to a browser instead of a JSON error when a sign-in request fails. */
export function refusalPage(reply: FastifyReply, message: string): FastifyReply {
  return sendPage(
    reply,
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign-in · Bookreel</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/account/style.css">
<header><a class="name" href="/account">Bookreel</a></header>
<main><h1>Sign-in failed</h1><p>${escaped(message)}</p><p><a class="button" href="/account">Back to the account page</a></p></main>
</html>`,
  )
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('cache-control', 'no-store')
    .send(html)
}

function read(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
