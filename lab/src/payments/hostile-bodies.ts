import type { Random } from '@bookreel/simulator/world/random'

/** Bytes that are no callback, with any content type. */
export interface HostileBody {
  readonly body: Buffer
  readonly contentType: string
}

const CONTENT_TYPES = ['application/json', 'application/json;charset=utf-16', 'text/weird', 'multipart/form-data', '/']

const BODIES: readonly ((draw: Random) => Buffer)[] = [
  (draw) => Buffer.from(`{"a":${'['.repeat(draw.whole(1_000, 30_000))}`),
  (draw) => nested('[', ']', draw.whole(10, 30_000)),
  (draw) => nested('{"a":', '}', draw.whole(10, 9_000)),
  (draw) => Buffer.from(Array.from({ length: draw.whole(0, 400) }, () => draw.whole(0, 255))),
  (draw) => Buffer.from(`{"payment_id":${'9'.repeat(draw.whole(1, 2_000))},"invoice_id":1e999,"order_id":-0}`),
  () => Buffer.from('{"order_id":"a","order_id":{"order_id":[]},"invoiceId":"b","invoiceId":null}'),
  () => Buffer.from('{"__proto__":{"invoiceId":"x"},"constructor":{"prototype":{"order_id":"y"}}}'),
  () => Buffer.from('{"order_id":"\\u0000\\ud800","invoiceId":"\\udfff"}'),
  (draw) => Buffer.from(`{"order_id":"${'x'.repeat(draw.whole(1, 60_000))}"`),
  (draw) => Buffer.alloc(draw.whole(0, 65_536), draw.whole(0, 255)),
]

export function hostileBody(draw: Random): HostileBody {
  return { body: draw.pick(BODIES)(draw), contentType: draw.pick(CONTENT_TYPES) }
}

function nested(open: string, close: string, depth: number): Buffer {
  return Buffer.from(`{"a":${open.repeat(depth)}1${close.repeat(depth)}}`)
}
