import type { Random } from '../world/random.ts'
import type { FaultName } from './fault-list.ts'

/** Unknown to every venue, each of which names the type of a frame in another way. */
const UNKNOWN_EVENT =
  '{"event_type":"order_book_vibe", "type":"order_book_vibe", "mood":"0.7", "channel":"vibe", "data":{}}'

/** The frames that each fault sends instead of a data frame. */
export const FRAME_FAULTS = {
  drop: () => [],
  duplicate: (text) => [text, text],
  corrupt: (text, draw) => [text.slice(0, draw.whole(1, Math.max(1, text.length - 2)))],
  'wrong-hash': (text) => [
    text.replaceAll(
      /"hash":"([0-9a-f])([0-9a-f]{39})"/g,
      (_, first, rest) => `"hash":"${first === '0' ? '1' : '0'}${rest}"`,
    ),
  ],
  'wrong-echo': (text) => [text.replaceAll(/"best_bid":"[^"]*"/g, '"best_bid":"0.4242"')],
  'wrong-size': (text) => [
    text
      .replace(/"(size|sz|B)":"(?!0")([^"]*)"/, (_, key, size) => `"${key}":"${size}1"`)
      .replace(/"delta_fp":"(-?)/, (start) => `${start}1`),
  ],
  'unknown-event': (text) => [text, UNKNOWN_EVENT],
  'unknown-keys': (text) => [withUnknownKey(text)],
  'noise-text': (text) => [text, 'NO NEW ASSETS'],
  'empty-array': (text) => [text, '[]\n'],
} satisfies Partial<Record<FaultName, (text: string, draw: Random) => string[]>>

export type FrameFaultName = keyof typeof FRAME_FAULTS

export const FRAME_FAULT_NAMES = Object.keys(FRAME_FAULTS) as FrameFaultName[]

/** Adds a key to the first object of the frame, which may be inside an array, or to its content in "msg". */
function withUnknownKey(text: string): string {
  return text.replace(/^(?:\{.*?"msg":\{|[^{]*\{)/, (start) => `${start}"since_the_last_release":"yes", `)
}
