import { createHash } from 'node:crypto'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'

const PREFIX = '/docs'
const SCRIPT_PATH = `${PREFIX}/js/scalar.js`
const SCRIPT_CACHE_CONTROL = 'public, max-age=86400'
const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g

/** The interactive API reference. It loads nothing from other hosts and sends no telemetry. */
export async function addDocsPage(app: FastifyInstance): Promise<void> {
  await app.register(async (page) => {
    page.addHook('onSend', async (request, reply, payload) => {
      if (request.url.startsWith(SCRIPT_PATH)) reply.header('cache-control', SCRIPT_CACHE_CONTROL)
      else if (typeof payload === 'string') reply.header('content-security-policy', policyFor(payload))
      return payload
    })
    await page.register(scalar, {
      routePrefix: PREFIX,
      configuration: {
        url: '/openapi.json',
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
        persistAuth: false,
        defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
        authentication: { preferredSecurityScheme: 'key' },
      },
    })
  })
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
