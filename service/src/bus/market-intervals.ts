import type { JetStreamClient } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { type Clock, wallClock } from '../domain/clock.ts'
import type { Market } from '../domain/market.ts'

const DAY_MS = 86_400_000
/** Entries of markets that no recorder has listed for this long expire, or the bucket would grow for ever. */
export const INTERVALS = { name: 'market-intervals', ttl: 90 * DAY_MS } as const
const REFRESHED_AFTER_MS = 30 * DAY_MS
const READS_AT_ONCE = 100

interface Kept {
  intervalMs: number
  writtenAtMs: number
}

/**
 * The sampling interval that numbers a market's slots; it never changes, even when the plan does. The first
 * recorder that lists the market decides it for all recorders.
 */
export class MarketIntervals {
  readonly #bucket: KV
  readonly #nowMs: Clock
  /** By plan; each listing replaces the plan's map, so unlisted markets are dropped. */
  readonly #known = new Map<string, ReadonlyMap<string, Kept>>()

  private constructor(bucket: KV, nowMs: Clock) {
    this.#bucket = bucket
    this.#nowMs = nowMs
  }

  static async open(jetstream: JetStreamClient, nowMs: Clock = wallClock): Promise<MarketIntervals> {
    return new MarketIntervals(
      await new Kvm(jetstream).create(INTERVALS.name, { history: 1, ttl: INTERVALS.ttl }),
      nowMs,
    )
  }

  /** The listed markets of one plan, each with the interval that it was first recorded with. */
  async keep(planId: string, markets: readonly Market[]): Promise<Market[]> {
    const known = this.#known.get(planId)
    const kept = new Map<string, Kept>()
    for (let from = 0; from < markets.length; from += READS_AT_ONCE) {
      await Promise.all(
        markets.slice(from, from + READS_AT_ONCE).map(async ({ id, captureIntervalMs }) => {
          kept.set(id, await this.#refreshed(id, known?.get(id) ?? (await this.#keepOne(id, captureIntervalMs))))
        }),
      )
    }
    this.#known.set(planId, kept)
    return markets.map((market) => ({
      ...market,
      captureIntervalMs: kept.get(market.id)?.intervalMs ?? market.captureIntervalMs,
    }))
  }

  async #keepOne(id: string, intervalMs: number): Promise<Kept> {
    const stored = await this.#read(id)
    if (stored !== undefined) return stored
    try {
      await this.#bucket.create(id, String(intervalMs))
      return { intervalMs, writtenAtMs: this.#nowMs() }
    } catch (error) {
      // Another recorder was faster, or NATS is unavailable.
      const first = await this.#read(id)
      if (first === undefined) throw error
      return first
    }
  }

  async #read(id: string): Promise<Kept | undefined> {
    const entry = await this.#bucket.get(id)
    if (entry === null || entry.operation !== 'PUT') return undefined
    return { intervalMs: Number(entry.string()), writtenAtMs: entry.created.getTime() }
  }

  async #refreshed(id: string, kept: Kept): Promise<Kept> {
    if (this.#nowMs() - kept.writtenAtMs < REFRESHED_AFTER_MS) return kept
    await this.#bucket.put(id, String(kept.intervalMs))
    return { ...kept, writtenAtMs: this.#nowMs() }
  }
}
