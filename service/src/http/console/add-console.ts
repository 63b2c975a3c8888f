import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncoding } from '../accepted-encoding.ts'
import { CONSOLE_API } from '../console-api.ts'
import type { ConsoleFile, ConsoleFiles } from './console-files.ts'

export interface ConsoleOptions {
  /** Undefined when no console is installed. */
  readonly files: ConsoleFiles | undefined
  /** Address of the streams when they are on another host than the pages. */
  readonly streamUrl?: string | undefined
}

const FOREVER = 'public, max-age=31536000, immutable'
const NOT_INSTALLED = `No console is installed on this service. The API works without it; its reference is at /docs.

To install the console, build it with "npm run build:console", set CONSOLE_DIR to the folder console/dist, and start the
API again.
`

/** Serves the web console under `/app`, and leads people there from `/` and from the former account page. */
export function addConsole(app: FastifyInstance, { files, streamUrl }: ConsoleOptions): void {
  const policy = policyWith(streamUrl)
  const headers = {
    'content-security-policy': policy,
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  }
  app.get('/', (_request, reply) => reply.redirect(files === undefined ? '/docs/' : '/app'))
  for (const path of ['/account', '/account/']) {
    app.get(path, (_request, reply) => reply.redirect('/app/account', 301))
  }
  const page = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    files === undefined ? refuse(reply) : send(request, reply.headers(headers), files.page)
  app.get('/app', { compress: false }, page)
  app.get('/app/*', { compress: false }, (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    // Unknown paths of the API of the console are errors and not pages.
    if (path === CONSOLE_API || path.startsWith(`${CONSOLE_API}/`)) return reply.callNotFound()
    const name = path.slice('/app/'.length)
    const asset = files?.assets.get(name)
    if (asset !== undefined) {
      // A worker is bound by the policy of its own file, not by that of the page, and the policy may change without it.
      const caching = name.includes('-worker-') ? 'no-cache' : FOREVER
      return send(request, reply.headers({ 'cache-control': caching, 'content-security-policy': policy }), asset)
    }
    // A page of an older release may ask for a file that is gone; HTML in its place would look like a broken script.
    return name.startsWith('assets/') ? reply.callNotFound() : page(request, reply)
  })
}

/** Allows no content of other hosts, no inline scripts or styles, and no text as markup. */
function policyWith(streamUrl: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src 'self'${streamUrl === undefined ? '' : ` ${new URL(streamUrl).origin}`}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types bookreel-worker',
  ].join('; ')
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const encoding = acceptedEncoding(request.headers['accept-encoding'])
  const bytes = file[encoding]
  reply.header('vary', 'accept-encoding').type(file.type)
  if (bytes === undefined || encoding === 'identity') return reply.send(file.identity)
  return reply.header('content-encoding', encoding).send(bytes)
}

function refuse(reply: FastifyReply): FastifyReply {
  return reply.status(404).type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(NOT_INSTALLED)
}
