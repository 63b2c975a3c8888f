import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ICON_LINK } from './icon.ts'
import { addStaticFile } from './static-file.ts'

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
  addStaticFile(app, '/account', {
    content: read('page.html'),
    type: 'text/html; charset=utf-8',
    cacheControl: 'no-store',
    headers: { 'content-security-policy': POLICY },
  })
  addStaticFile(app, '/account/style.css', {
    content: read('style.css'),
    type: 'text/css; charset=utf-8',
    cacheControl: CACHE_CONTROL,
  })
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.ts'))) {
    addStaticFile(app, `/account/${file.replace('.ts', '.js')}`, {
      content: browserScript(read(file)),
      type: 'text/javascript; charset=utf-8',
      cacheControl: CACHE_CONTROL,
    })
  }
}

/** Browsers get the modules without types, under names that end in `.js`. */
function browserScript(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")
}

/** Shown to a browser instead of a JSON error when a sign-in request fails. */
export function refusalPage(reply: FastifyReply, message: string): FastifyReply {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign-in · Bookreel</title>
${ICON_LINK}
<link rel="stylesheet" href="/account/style.css">
<header><a class="name" href="/account">Bookreel</a></header>
<main><h1>Sign-in failed</h1><p>${escaped(message)}</p><p><a class="button" href="/account">Back to the account page</a></p></main>
</html>`
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
