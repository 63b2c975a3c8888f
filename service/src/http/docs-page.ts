import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import scalar from '@scalar/fastify-api-reference'
import { type FastifyInstance, fastify } from 'fastify'
import type { Json } from '../endpoints/schemas/json-schema.ts'
import { ICON_LINK } from './icon.ts'
import { addStaticFile } from './static-file.ts'

const PREFIX = '/docs'
const PAGE_PATH = `${PREFIX}/`
const SCRIPT_PATH = `${PREFIX}/js/scalar.js`
const DOCUMENT_PATH = `${PREFIX}/openapi.json`
const SCRIPT_CACHE_CONTROL = 'public, max-age=86400'
const DOCUMENT_CACHE_CONTROL = 'public, max-age=60'
const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g
/** Scalar shows this text in an empty key field, where it looks like a key. */
const SCALAR_PLACEHOLDER = 'QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT'
const KEY_HINT = 'your API key, from /app/keys'

const { version: PRODUCT_VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** The interactive API reference. It loads nothing from other hosts and sends no telemetry. */
export async function addDocsPage(app: FastifyInstance, openApi: Json): Promise<void> {
  reference ??= renderReference()
  const { html, script } = await reference
  app.get(PREFIX, (_request, reply) => reply.redirect(PAGE_PATH, 301))
  addStaticFile(app, PAGE_PATH, {
    content: html.replace('</head>', `  ${ICON_LINK}\n  </head>`),
    type: 'text/html; charset=utf-8',
    cacheControl: DOCUMENT_CACHE_CONTROL,
    headers: { 'content-security-policy': policyFor(html) },
  })
  addStaticFile(app, SCRIPT_PATH, {
    content: script,
    type: 'text/javascript; charset=utf-8',
    cacheControl: SCRIPT_CACHE_CONTROL,
  })
  addStaticFile(app, DOCUMENT_PATH, {
    content: JSON.stringify(withProductVersion(openApi)),
    type: 'application/json; charset=utf-8',
    cacheControl: DOCUMENT_CACHE_CONTROL,
  })
}

/** The page and its script never change, so the library renders them once, on a server that nobody can reach. */
let reference: ReturnType<typeof renderReference> | undefined

async function renderReference(): Promise<{ html: string; script: string }> {
  await using renderer = fastify()
  await renderer.register(scalar, {
    routePrefix: PREFIX,
    configuration: {
      url: DOCUMENT_PATH,
      pageTitle: 'Bookreel API',
      theme: 'default',
      layout: 'modern',
      operationTitleSource: 'path',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
      // A script of others must not leave keys where pages of this origin find them.
      persistAuth: false,
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      authentication: { preferredSecurityScheme: 'key' },
    },
  })
  const [page, script] = [await renderer.inject(PAGE_PATH), await renderer.inject(SCRIPT_PATH)]
  return { html: page.body, script: script.body.replaceAll(SCALAR_PLACEHOLDER, KEY_HINT) }
}

/** `/openapi.json` has the version of the interface; people who read the page look for that of the product. */
function withProductVersion(openApi: Json): Json {
  return { ...openApi, info: { ...(openApi.info as Json), version: PRODUCT_VERSION } }
}

/** Allows only the scripts of this page, and requests only to this host. */
function policyFor(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
