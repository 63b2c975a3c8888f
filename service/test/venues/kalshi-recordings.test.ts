import { describe, expect, test } from 'vitest'
import { endingOf } from '../../src/venues/kalshi/endings.ts'
import { namesOf } from '../../src/venues/kalshi/market-names.ts'
import { KalshiMarketSchema } from '../../src/venues/kalshi/market-schema.ts'
import { SequencedBook } from '../../src/venues/kalshi/sequenced-book.ts'
import { KalshiProtocol } from '../../src/venues/kalshi/socket-protocol.ts'
import { frames, MARKET } from './kalshi-scene.ts'
import { recordedLines, recordedText, recordingsExist, recordingsPlace } from './recordings.ts'

interface RecordedFrame {
  type: string
  sid?: number
  seq?: number
  msg: { market_ticker?: string }
}

const isMissing = !recordingsExist()
if (isMissing) process.stderr.write(`SKIPPED, ${recordingsPlace} does not exist: recorded frames of Kalshi\n`)
describe.skipIf(isMissing)('recorded frames of Kalshi', () => {
  test('a deep snapshot and its first delta are a book that is possible', () => {
    const lines = recordedLines<RecordedFrame>('kalshi/ws-kxhighny-2026-06-24.jsonl')
    const { marketId, yesTokenId, noTokenId } = namesOf(lines[0]?.msg.market_ticker ?? '')
    const book = new SequencedBook({ ...MARKET, id: marketId, tokenIds: [yesTokenId, noTokenId] })
    const protocol = new KalshiProtocol()
    protocol.decode(frames.subscribed(1, 'orderbook_delta'), 1)
    for (const line of lines) {
      const { events, problems, loss } = protocol.decode(JSON.stringify(line), 1)
      expect([problems, loss]).toEqual([[], undefined])
      for (const event of events) if (event.kind === 'book' || event.kind === 'delta') book.take(event, 1)
    }
    expect([book.doubt, book.takeChangeCount()]).toEqual([undefined, 2])
    expect([book.proved?.up.bids.length, book.proved?.down.bids.length]).toEqual([10, 57])
  })

  test('frames of every kind are decoded; only channels that nobody subscribed are strange', () => {
    const lines = ['kalshi/ws-demo-2026-08-27.jsonl', 'kalshi/ws-prod-mixed.jsonl'].flatMap((path) =>
      recordedLines<RecordedFrame>(path),
    )
    const decoded = lines.map((line) => {
      const protocol = new KalshiProtocol()
      // Each line is from the middle of some connection.
      const before = (line.seq ?? 1) - 1
      protocol.restore({ commands: 1, subscriptions: [[line.sid ?? 0, 'any', before]], removedEarly: [] })
      return { type: line.type, ...protocol.decode(JSON.stringify(line), 1) }
    })
    const eventsOf = (type: string) => decoded.filter((each) => each.type === type).map(({ events }) => events.length)
    for (const type of ['orderbook_snapshot', 'orderbook_delta', 'trade'])
      expect(new Set(eventsOf(type)), type).toEqual(new Set([1]))
    expect(decoded.flatMap(({ loss }) => loss ?? [])).toEqual([])
    const strange = decoded.filter(({ problems }) => problems.length > 0).map(({ type }) => type)
    expect(new Set(strange)).toEqual(new Set(['ticker', 'error', 'market_lifecycle_v2']))
  })

  test('a finalized market is a resolution', () => {
    const { market } = JSON.parse(recordedText('kalshi/rest-market-finalized.json')) as { market: unknown }
    expect(endingOf(KalshiMarketSchema.parse(market), 0)?.resolution).toMatchObject({ winner: 0 })
  })
})
