import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ICON_LINK } from './icon.ts'

const FOLDER = new URL('./account-page/', import.meta.url)
const CACHE_CONTROL = 'private, max-age=60'
/** Allows no content of other hosts and no inline scripts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page on which users see their account, create keys and buy packs. */
export function addAccountPage(app: FastifyInstance): void {
  const page = read('page.html')
  const style = read('style.css')
  app.get('/account', (_request, reply) => sendPage(reply, page))
  app.get('/account/style.css', (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', CACHE_CONTROL).send(style),
  )
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.ts'))) {
    const script = browserScript(read(file))
    app.get(`/account/${file.replace('.ts', '.js')}`, (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').header('cache-control', CACHE_CONTROL).send(script),
    )
  }
}

/** Browsers get the modules without types, under names that end in `.js`. */
function browserScript(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")
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
${ICON_LINK}
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
