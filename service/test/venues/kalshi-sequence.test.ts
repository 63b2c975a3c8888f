import { describe, expect, test } from 'vitest'
import { KalshiProtocol } from '../../src/venues/kalshi/socket-protocol.ts'
import { AT_MS, BOOKS, frames, MARKET, opened, TRADES } from './kalshi-scene.ts'

describe('sequence numbers', () => {
  test('they count all messages of a subscription, also ok, and each subscription by itself', () => {
    const protocol = opened()
    const texts = [
      frames.snapshot(BOOKS, 1),
      frames.trade(TRADES, 1),
      frames.ok(BOOKS, 2),
      frames.snapshot(BOOKS, 3, { ticker: 'KXOTHER-1' }),
      frames.delta(BOOKS, 4),
      frames.ok(TRADES, 2),
      frames.trade(TRADES, 3),
    ]
    for (const text of texts) {
      const { problems, loss } = protocol.decode(text, AT_MS)
      expect([problems, loss], text).toEqual([[], undefined])
    }
  })

  test('a hole puts all books of the connection in doubt, since the last frame before it; nothing after it is read', () => {
    const protocol = opened()
    protocol.decode(frames.snapshot(BOOKS, 1), AT_MS)
    protocol.decode(frames.trade(TRADES, 1), AT_MS + 30_000)
    const { events, loss } = protocol.decode(frames.delta(BOOKS, 3), AT_MS + 40_000)
    expect(events).toEqual([])
    const detail = 'orderbook_delta 2: seq 3 came after 1'
    expect(loss).toEqual({ cause: 'sequence_gap', detail, rightUntilMs: AT_MS })
    expect(opened().decode(frames.snapshot(BOOKS, 2), AT_MS).loss?.cause).toBe('sequence_gap')
    expect(opened().decode(frames.trade(TRADES, 2), AT_MS).loss?.cause).toBe('sequence_gap')
  })

  test('a repeated frame is not applied twice', () => {
    const protocol = opened()
    protocol.decode(frames.snapshot(BOOKS, 1), AT_MS)
    expect(protocol.decode(frames.delta(BOOKS, 2), AT_MS).events).toHaveLength(1)
    expect(protocol.decode(frames.delta(BOOKS, 2), AT_MS)).toMatchObject({
      events: [],
      problems: [{ kind: 'unknown_event', reason: '"orderbook_delta" with a seq that came before' }],
    })
  })

  test('numbers that begin again, or come in another order, are a loss', () => {
    const protocol = opened()
    for (const text of [frames.snapshot(BOOKS, 1), frames.delta(BOOKS, 2), frames.delta(BOOKS, 3)])
      protocol.decode(text, AT_MS)
    expect(protocol.decode(frames.snapshot(BOOKS, 1), AT_MS).loss?.cause).toBe('sequence_gap')
  })

  test('the end of a subscription counts whatever its number is', () => {
    const protocol = opened()
    protocol.decode(frames.snapshot(BOOKS, 1), AT_MS)
    for (const place of ['"sid":2,"seq":1', '"sid":2,"seq":9', '"sid":77,"seq":1']) {
      const text = frames.error(25, 'overflow').replace('{', `{${place},`)
      expect(protocol.decode(text, AT_MS).loss?.cause, place).toBe('disconnected')
    }
  })

  test('frames of an unknown subscription are ignored and counted', () => {
    const { events, problems, loss } = opened().decode(frames.delta(7, 1), AT_MS)
    expect([events, loss]).toEqual([[], undefined])
    expect(problems).toMatchObject([{ kind: 'unknown_event' }])
  })

  test('a subscription that the venue ends by itself is a loss', () => {
    expect(opened().decode('{"type":"unsubscribed","id":9,"sid":2,"seq":1}', AT_MS).loss).toEqual({
      cause: 'disconnected',
      detail: 'the venue ended a subscription',
    })
  })

  test('a restored protocol goes on where the other one was', () => {
    const protocol = opened()
    protocol.decode(frames.snapshot(BOOKS, 1), AT_MS)
    const restored = new KalshiProtocol()
    restored.restore(JSON.parse(JSON.stringify(protocol.checkpoint())))
    expect(restored.decode(frames.delta(BOOKS, 2), AT_MS)).toMatchObject({ problems: [] })
    expect(restored.decode(frames.delta(BOOKS, 4), AT_MS).loss?.cause).toBe('sequence_gap')
    const [command = ''] = restored.unsubscribeFrames(MARKET.tokenIds)
    expect(JSON.parse(command)).toMatchObject({ id: 3 })
  })
})
