import { connect } from 'node:net'
import type { Random } from '@bookreel/simulator/world/random'
import type { GivenAnswer } from '../published-schema.ts'
import { CORPORA, HEADERS } from './corpora.ts'
import { type Material, validRequest } from './make-request.ts'

const ANSWER_WITHIN_MS = 3_000
const LONG = 70_000

/** Bytes that no client library would send. */
export function rawRequest(material: Material, draw: Random): Buffer {
  const { path, headers } = validRequest(material, draw)
  const key = String(headers['x-api-key'] ?? '')
  const text = draw.pick(draw.pick(Object.values(CORPORA)))
  const usual = `Host: localhost\r\nX-API-Key: ${key}\r\n`
  return Buffer.from(
    draw.pick<() => string>([
      () => noise(draw, draw.whole(1, 400)),
      () => `GET ${path} HTTP/1.1\r\n${usual}Connection: close\r\n\r\n`,
      () => `GET ${path}${text} HTTP/1.1\r\n${usual}Connection: close\r\n\r\n`,
      () => `GET ${text} HTTP/1.1\r\n${usual}Connection: close\r\n\r\n`,
      () => `GET ${path} HTTP/1.1\r\n${usual}${draw.pick(HEADERS)}: ${text}\r\nConnection: close\r\n\r\n`,
      () => `GET ${path} HTTP/1.1\r\n${usual}${text}: 1\r\nConnection: close\r\n\r\n`,
      () => `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`,
      () => `GET ${path} HTTP/${draw.pick(['0.9', '1.0', '2.0', '9', '1.1 '])}\r\n${usual}\r\n`,
      () => `${draw.pick(['get', 'GE T', 'CONNECT', 'PRI', 'TRACE', 'M-SEARCH', ''])} ${path} HTTP/1.1\r\n${usual}\r\n`,
      () => `GET ${path}${'a'.repeat(draw.whole(1, LONG))} HTTP/1.1\r\n${usual}Connection: close\r\n\r\n`,
      () => `GET ${path} HTTP/1.1\r\n${usual}X-Long: ${'a'.repeat(draw.whole(1, LONG))}\r\nConnection: close\r\n\r\n`,
      () => `GET ${path} HTTP/1.1\r\n${usual}${'a: b\r\n'.repeat(draw.whole(1, 4_000))}Connection: close\r\n\r\n`,
      () => `GET ${path} HTTP/1.1\r\n${usual}`,
      () =>
        `POST ${path} HTTP/1.1\r\n${usual}Content-Length: ${draw.pick(['-1', '5', '0', '99999999999', 'a'])}\r\n\r\n{}`,
      () =>
        `POST ${path} HTTP/1.1\r\n${usual}Transfer-Encoding: chunked\r\n\r\n${draw.pick(['0\r\n\r\n', 'zz\r\n', 'fffffffffff\r\n', '5\r\nab'])}`,
      () =>
        `POST ${path} HTTP/1.1\r\n${usual}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\n\r\n`,
      () => `GET ${path} HTTP/1.1\r\n${usual}\r\n`.repeat(draw.whole(2, 8)),
      () => `GET http://localhost${path} HTTP/1.1\r\n${usual}Connection: close\r\n\r\n`,
      () => `OPTIONS * HTTP/1.1\r\n${usual}Connection: close\r\n\r\n`,
      () =>
        `GET ${path} HTTP/1.1\r\n${usual}Connection: Upgrade\r\nUpgrade: ${draw.pick(['websocket', 'h2c', text])}\r\n\r\n`,
      () =>
        `GET ${path} HTTP/1.1\r\n${usual}Expect: ${draw.pick(['100-continue', 'nothing'])}\r\nConnection: close\r\n\r\n`,
      () =>
        `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-API-Key: ${key}\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
      () => `\u0016\u0003\u0001\u0002\u0000\u0001\u0000${noise(draw, 200)}`,
      () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ])(),
    draw.chance(0.5) ? 'utf8' : 'latin1',
  )
}

/** Everything received until the server closes or is silent for too long. */
export function sendRaw(port: number, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ host: '127.0.0.1', port })
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy())
    socket.on('connect', () => socket.end(bytes))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks)))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close before it has read everything, but must still accept connections.
      if (error.code === 'ECONNREFUSED') reject(error)
    })
  })
}

/** The complete responses in the received bytes. */
export function rawAnswers(bytes: Buffer): GivenAnswer[] {
  const answers: GivenAnswer[] = []
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at)
    if (headEnd < 0) break
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1])
    const headers = new Map(
      lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '')]),
    )
    const bodyAt = headEnd + 4
    const { body, end } = bodyOf(bytes, bodyAt, headers)
    at = end
    if (status < 200) continue
    const isWhole = end <= bytes.length
    answers.push({
      status,
      contentType: headers.get('content-type'),
      // Some HTTP protocol errors have no body, such as a missing Host.
      text: isWhole && body.length > 0 ? body.toString('utf8') : undefined,
    })
  }
  return answers
}

function bodyOf(bytes: Buffer, from: number, headers: ReadonlyMap<string, string>): { body: Buffer; end: number } {
  if (headers.get('transfer-encoding') === 'chunked') return chunkedBody(bytes, from)
  const length = Number(headers.get('content-length') ?? 0)
  return { body: bytes.subarray(from, from + length), end: from + length }
}

function chunkedBody(bytes: Buffer, from: number): { body: Buffer; end: number } {
  const pieces: Buffer[] = []
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (Number.isNaN(size)) return { body: Buffer.concat(pieces), end: bytes.length + 1 }
    if (size === 0) return { body: Buffer.concat(pieces), end: lineEnd + 4 }
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 4 + size
  }
}

function noise(draw: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(draw.whole(0, 255))).join('')
}
