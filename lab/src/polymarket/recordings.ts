import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Recorded frames are outside the repository, because some have no licence for redistribution. */
const folder = new URL('../../../../shared/venues/samples/', import.meta.url)

export const recordingsPlace = '../shared/venues/samples'

export function recordingsExist(): boolean {
  return existsSync(fileURLToPath(folder))
}

/** A whole file, byte for byte; for single frames and REST bodies. */
export function recordedText(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8')
}

/** Frames received by one token's subscriber, 40 s of 2026-08-10. */
export function argosFrames(): string[] {
  const { messages } = JSON.parse(recordedText('argos/ws_market_price_change.raw.json')) as {
    messages: { direction: string; raw: string }[]
  }
  return messages.filter(({ direction }) => direction === 'recv').map(({ raw }) => raw)
}

/** Both tokens of a market, 2026-09-30. What follows line 23 was cut by the source. */
export function run8Frames(): string[] {
  return lines('no-licence-stated/market-ws-frames-h1-run-8.jsonl').map(
    (line) => (line as { payloadUtf8: string }).payloadUtf8,
  )
}

/** A session on a v2 market, 2026-10-05. */
export function v2SessionFrames(): string[] {
  return lines('no-licence-stated/ws-market-v2-session.jsonl')
    .map((line) => line as { dir: string; data: string })
    .filter(({ dir }) => dir === 'recv')
    .map(({ data }) => data)
}

function lines(path: string): unknown[] {
  return recordedText(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
