import type { FastifyReply } from 'fastify'
import { ICON_LINK } from './icon.ts'

/** Allows no script and no content of other hosts. */
const POLICY = "default-src 'none'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Shown to a browser instead of a JSON error when a sign-in request fails. */
export function refusalPage(reply: FastifyReply, message: string): FastifyReply {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign-in · Bookreel</title>
${ICON_LINK}
<main><h1>Sign-in failed</h1><p>${escaped(message)}</p><p><a href="/app">Back to the start page</a></p></main>
</html>`
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('cache-control', 'no-store')
    .send(html)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
