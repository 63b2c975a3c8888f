import { type Price, priceSeriesId } from '../domain/rows/price.ts'
import type { SettlementPrice } from '../domain/rows/settlement-price.ts'
import { type TapeRow, tapeMarketId, tapeTimeMs } from '../domain/rows/tape-row.ts'
import type { Trade } from '../domain/rows/trade.ts'
import { slotAt } from '../domain/slot.ts'
import { gapIfLost, type Told } from './gap-if-lost.ts'
import { type Absence, GapLedger, type LedgerCheckpoint } from './gap-ledger.ts'
import { type ResumedShard, type ResumedShardRecord, recordOfResumed, resumedIn } from './resumed-shard.ts'
import { type RetainedTick, RetainedTicks, type TakenSample } from './retained-ticks.ts'
import type { SampledMarket } from './sampled-market.ts'
import { hasAny, noRows, type TickRows, writeSample } from './tick-rows.ts'

export interface RecorderDeps {
  nowMs: () => number
  shardOf(marketId: string): string
  /** Called for each held shard at every tick, also without rows: an empty batch shows that the shard is recorded. */
  publish(shard: string, tickMs: number, rows: TickRows): void
}

/** An open gap is published at most once a second, so its last second may be missing after a restart. */
const GAP_RECORD_MAY_LAG_MS = 1_000

const NOT_FOLLOWED: Absence = { cause: 'not_listed_yet', detail: 'the market was closed, and is listed again' }
const LEFT_REMEMBERED = 10_000

interface Recorded {
  market: SampledMarket
  ledger: GapLedger
}

interface Shard {
  resumed: ResumedShard | undefined
  /** Markets in the saved shard state, which the next recorder reads; undefined when no state is saved. */
  saved: ReadonlySet<string> | undefined
  recorded: Map<string, Recorded>
  /** The first tick at which each inherited market got a row or a gap record from this recorder. */
  firstTickMs: Map<string, number>
  /** Inherited markets that this process followed before the last tick of the earlier recorder: no trade is lost. */
  seamless: Set<string>
}

/** What a recorder of a shard needs to go on, besides the markets themselves; as JSON can hold it. */
export interface ShardCheckpoint {
  readonly resumed?: ResumedShardRecord | undefined
  readonly saved?: readonly string[] | undefined
  readonly firstTickMs: readonly (readonly [marketId: string, tickMs: number])[]
  /** The last accounted slots of markets that were removed. */
  readonly left: readonly (readonly [marketId: string, slot: number])[]
}

/** At every slot of every market in the held shards: takes a row if the book is trusted, a gap ledger entry if not. */
export class Recorder {
  readonly #deps: RecorderDeps
  readonly #markets = new Map<string, SampledMarket>()
  readonly #byShard = new Map<string, Set<SampledMarket>>()
  readonly #shards = new Map<string, Shard>()
  readonly #pending = new Map<string, TickRows>()
  /** Shards that another process records, and of which this one follows markets. */
  readonly #retained = new Map<string, RetainedTicks>()
  #lastTickMs = 0
  /** The last accounted slot of markets that were removed: if one is followed again, the slots since are a gap. */
  readonly #left = new Map<string, number>()

  constructor(deps: RecorderDeps) {
    this.#deps = deps
  }

  /**
   * Starts recording the shard. Slots since the last recorder's state get the samples that this process has retained;
   * those without one become gaps.
   */
  hold(shard: string, resumed?: ResumedShard): void {
    const held: Shard = {
      resumed,
      saved: undefined,
      recorded: new Map(),
      firstTickMs: new Map(),
      seamless: new Set(),
    }
    this.#shards.set(shard, held)
    for (const market of this.#byShard.get(shard) ?? []) this.#record(market)
    const retained = this.#retained.get(shard)
    this.#retained.delete(shard)
    if (retained === undefined || resumed === undefined || resumed.wrongTime !== undefined) return
    for (const tick of retained.ticks) this.#recordRetained(shard, held, resumed, tick)
    noteAccounted(held, retained.ticks.at(-1)?.tickMs)
    const { trades, prices, tape } = retained.pending
    for (const trade of trades) if (resumed.stored?.hasTrade(trade) !== true) this.trade(trade)
    for (const price of prices) this.price(price)
    for (const row of tape) this.tape(row)
  }

  /** Another process records the shard now, and goes on after our last tick. */
  leave(shard: string): void {
    const held = this.#shards.get(shard)
    // The record of an open gap lags, and the next recorder goes on after our last tick.
    const ends = [...(held?.recorded.values() ?? [])].flatMap(({ ledger }) => ledger.end())
    if (ends.length > 0) this.#rowsOf(shard).gaps.push(...ends)
    const rows = this.#pending.get(shard)
    if (rows !== undefined && held !== undefined) this.#deps.publish(shard, this.#lastTickMs, rows)
    this.#shards.delete(shard)
    this.#pending.delete(shard)
    for (const id of this.#left.keys()) if (this.#deps.shardOf(id) === shard) this.#left.delete(id)
  }

  checkpointShard(shard: string): ShardCheckpoint | undefined {
    const held = this.#shards.get(shard)
    return (
      held && {
        resumed: held.resumed && recordOfResumed(held.resumed),
        saved: held.saved && [...held.saved],
        firstTickMs: [...held.firstTickMs],
        left: [...this.#left].filter(([id]) => this.#deps.shardOf(id) === shard),
      }
    )
  }

  /** Goes on with a shard; its markets are added by `restore`. */
  restoreShard(shard: string, { resumed, saved, firstTickMs, left }: ShardCheckpoint): void {
    this.#shards.set(shard, {
      resumed: resumed && resumedIn(resumed),
      saved: saved && new Set(saved),
      recorded: new Map(),
      firstTickMs: new Map(firstTickMs),
      seamless: new Set(),
    })
    for (const [id, slot] of left) this.#left.set(id, slot)
  }

  checkpointLedger(marketId: string): LedgerCheckpoint | undefined {
    return this.#ledgerOf(marketId)?.checkpoint()
  }

  restore(market: SampledMarket, checkpoint: LedgerCheckpoint): void {
    const { id, intervalMs } = market
    const ledger = new GapLedger(id, intervalMs)
    ledger.restore(checkpoint)
    this.#follow(market)
    this.#shards.get(this.#deps.shardOf(id))?.recorded.set(id, { market, ledger })
  }

  /** The first slot of the market's gap that has not ended; undefined while there is none. */
  openGapSince(marketId: string): number | undefined {
    return this.#ledgerOf(marketId)?.openSinceSlot
  }

  add(market: SampledMarket): void {
    if (this.#markets.has(market.id)) return
    this.#follow(market)
    this.#record(market)
  }

  #follow(market: SampledMarket): void {
    this.#markets.set(market.id, market)
    const shard = this.#deps.shardOf(market.id)
    const ofShard = this.#byShard.get(shard) ?? new Set()
    this.#byShard.set(shard, ofShard.add(market))
  }

  #unfollow(market: SampledMarket, shard: string): void {
    this.#markets.delete(market.id)
    const ofShard = this.#byShard.get(shard)
    ofShard?.delete(market)
    if (ofShard?.size !== 0) return
    this.#byShard.delete(shard)
    this.#retained.delete(shard)
  }

  /** Stops recording the market; its last gap record is published with the next tick. */
  remove(marketId: string): void {
    const market = this.#markets.get(marketId)
    const shard = this.#deps.shardOf(marketId)
    if (market !== undefined) this.#unfollow(market, shard)
    const recorded = this.#shards.get(shard)?.recorded
    const ledger = recorded?.get(marketId)?.ledger
    recorded?.delete(marketId)
    if (ledger === undefined) return
    this.#rowsOf(shard).gaps.push(...ledger.end())
    if (ledger.accountedSlot !== undefined) this.#left.set(marketId, ledger.accountedSlot)
    const [oldest] = this.#left.keys()
    if (this.#left.size > LEFT_REMEMBERED && oldest !== undefined) this.#left.delete(oldest)
  }

  holds(marketId: string): boolean {
    return this.#shards.has(this.#deps.shardOf(marketId))
  }

  /** Since when this process could go on with the shard of another one; undefined when it can't. */
  retainedSinceMs(shard: string): number | undefined {
    if (!this.#byShard.has(shard)) return 0
    const retained = this.#retained.get(shard)
    return retained?.hasBooks ? retained.sinceMs : undefined
  }

  marketIdsOf(shard: string): string[] {
    const held = this.#shards.get(shard)
    return held === undefined ? [] : [...held.recorded.keys()]
  }

  /** The first tick at which this recorder wrote a row or gap record of an inherited market. */
  firstTickMs(shard: string, marketId: string): number | undefined {
    return this.#shards.get(shard)?.firstTickMs.get(marketId)
  }

  /** These markets are in the saved state. Only they are sampled, so that a successor knows every market with rows. */
  markSaved(shard: string, marketIds: ReadonlySet<string>): void {
    const held = this.#shards.get(shard)
    if (held !== undefined) held.saved = marketIds
  }

  trade(trade: Trade): void {
    const shard = this.#deps.shardOf(trade.marketId)
    if (!this.#shards.has(shard)) return this.#retainedOf(shard).trade(trade)
    this.#writeTrade(this.#rowsOf(shard), trade)
  }

  price(price: Price): void {
    const shard = this.#deps.shardOf(priceSeriesId(price))
    if (this.#shards.has(shard)) this.#rowsOf(shard).prices.push(price)
    else this.#retainedOf(shard).price(price)
  }

  tape(row: TapeRow): void {
    const shard = this.#deps.shardOf(tapeMarketId(row))
    const held = this.#shards.get(shard)
    if (held === undefined) this.#retainedOf(shard).tape(row)
    // The venue repeats trades that the recorder before has published. It never repeats a context.
    else if (row.kind !== 'trade' || held.resumed?.stored?.hasTape(row) !== true)
      this.#writeTape(this.#rowsOf(shard), row)
  }

  settlement(settlement: SettlementPrice): void {
    const shard = this.#deps.shardOf(settlement.marketId)
    if (this.#shards.has(shard)) this.#rowsOf(shard).settlements.push(settlement)
  }

  /** The sampling clock was moved ahead: the slots that it passed over have no row in any shard. */
  clockStepped(): void {
    for (const { recorded } of this.#shards.values()) for (const { ledger } of recorded.values()) ledger.clockStepped()
  }

  /** Samples the markets with these intervals; left out, all whose slot is due. */
  tick(tickMs: number, intervalsMs?: ReadonlySet<number>): void {
    this.#lastTickMs = tickMs
    const isDue = (everyMs: number) => intervalsMs?.has(everyMs) ?? tickMs % everyMs === 0
    for (const [shard, { recorded, saved, resumed, firstTickMs, seamless }] of this.#shards) {
      if (tickMs <= (resumed?.notBeforeMs ?? 0)) continue
      const inherited = resumed?.inherited
      const noteRecorded = (id: string): void => {
        if (inherited?.has(id) && !firstTickMs.has(id)) firstTickMs.set(id, tickMs)
      }
      const rows = this.#rowsOf(shard)
      const markWrongTime = (id: string, ledger: GapLedger, slot: number): void => {
        const { wrongTime } = resumed ?? {}
        if (wrongTime !== undefined && inherited?.has(id) && !firstTickMs.has(id))
          rows.gaps.push(ledger.numberedWrongly(slot, wrongTime))
      }
      for (const each of recorded.values()) {
        const { id, intervalMs } = each.market
        if (!isDue(intervalMs) || saved?.has(id) === false) continue
        const slot = tickMs / intervalMs
        const leftAtMs = firstTickMs.has(id) || seamless.has(id) ? undefined : inherited?.get(id)
        if (leftAtMs !== undefined) rows.gaps.push(each.ledger.tradesLost(slot, leftBehind(leftAtMs)))
        markWrongTime(id, each.ledger, slot)
        writeSample(rows, each.ledger, this.#take(each.market, slot))
        noteRecorded(id)
      }
    }
    this.#retain(tickMs, isDue)
    // After all shards are sampled: encoding the rows of one must not delay the samples of another.
    const pending = [...this.#pending].filter(
      ([shard]) => tickMs > (this.#shards.get(shard)?.resumed?.notBeforeMs ?? 0),
    )
    for (const [shard] of pending) this.#pending.delete(shard)
    for (const [shard, rows] of pending) this.#deps.publish(shard, tickMs, rows)
  }

  #ledgerOf(marketId: string): GapLedger | undefined {
    return this.#shards.get(this.#deps.shardOf(marketId))?.recorded.get(marketId)?.ledger
  }

  #record(market: SampledMarket): void {
    const { id, intervalMs } = market
    const shard = this.#shards.get(this.#deps.shardOf(id))
    // Losses before this process follows the market concern only the recorder before it.
    if (!this.#retained.has(this.#deps.shardOf(id))) market.takeLosses()
    if (shard === undefined) return
    const leftAtSlot = this.#left.get(id)
    this.#left.delete(id)
    const ledger =
      leftAtSlot === undefined
        ? ledgerOf(id, intervalMs, shard.resumed)
        : new GapLedger(id, intervalMs, leftAtSlot, NOT_FOLLOWED)
    shard.recorded.set(id, { market, ledger })
    if (leftAtSlot === undefined) return
    const loss = { ...NOT_FOLLOWED, rightUntilMs: leftAtSlot * intervalMs }
    const slot = slotAt(this.#deps.nowMs(), intervalMs)
    this.#rowsOf(this.#deps.shardOf(id)).gaps.push(ledger.tradesLost(slot, loss))
  }

  #take(market: SampledMarket, slot: number): TakenSample {
    const nowMs = this.#deps.nowMs()
    const [doubts, losses] = [market.settle(nowMs), market.takeLosses()]
    return { market, slot, doubts, losses, sample: market.sample(slot, Math.round(nowMs)) }
  }

  /** Samples also the shards of other processes, to go on with them when their recorder is gone. */
  #retain(tickMs: number, isDue: (everyMs: number) => boolean): void {
    for (const shard of new Set([...this.#byShard.keys(), ...this.#retained.keys()])) {
      if (this.#shards.has(shard)) continue
      const due = [...(this.#byShard.get(shard) ?? [])].filter(({ intervalMs }) => isDue(intervalMs))
      const taken = due.map((market) => this.#take(market, tickMs / market.intervalMs))
      this.#retainedOf(shard).add(tickMs, taken)
    }
  }

  #recordRetained(shard: string, held: Shard, { inherited, stored }: ResumedShard, tick: RetainedTick): void {
    const { tickMs, samples, trades, prices, tape } = tick
    const savedTickMs = Math.max(0, ...inherited.values())
    const rows = noRows()
    for (const taken of samples) {
      const { id } = taken.market
      const ledger = held.recorded.get(id)?.ledger
      const leftAtMs = inherited.get(id)
      if (ledger === undefined || leftAtMs === undefined) continue
      if (tickMs <= leftAtMs) held.seamless.add(id)
      if (taken.slot <= (ledger.accountedSlot ?? taken.slot)) continue
      // The state says that everything up to its tick is on the bus, but the record of an open gap lags.
      if (stored?.hasSlot(id, taken.slot)) rows.gaps.push(...ledger.recordedBefore(taken.slot))
      else {
        writeSample(rows, ledger, taken)
        if (!held.firstTickMs.has(id)) held.firstTickMs.set(id, tickMs)
      }
    }
    // The trades up to the tick of the state are on the bus; our subscription may have begun later.
    if (tickMs > savedTickMs || stored?.hasTick(tickMs) === true) {
      for (const trade of trades) if (stored?.hasTrade(trade) !== true) this.#writeTrade(rows, trade)
      if (tickMs > (stored?.lastTickMs ?? savedTickMs)) rows.prices.push(...prices)
      for (const row of tape) if (stored?.hasTape(row) !== true) this.#writeTape(rows, row)
    }
    if (hasAny(rows)) this.#deps.publish(shard, tickMs, rows)
  }

  #writeTrade(rows: TickRows, trade: Trade): void {
    rows.trades.push(trade)
    this.#noteTold(rows, { ...trade, happenedAtMs: trade.tradedAtMs })
  }

  #writeTape(rows: TickRows, tape: TapeRow): void {
    rows.tape.push(tape)
    const { receivedAtMs } = tape.row
    this.#noteTold(rows, { marketId: tapeMarketId(tape), happenedAtMs: tapeTimeMs(tape), receivedAtMs })
  }

  #noteTold({ ifTradesAreLost }: TickRows, told: Told): void {
    const intervalMs = this.#markets.get(told.marketId)?.intervalMs
    if (intervalMs === undefined) return
    ifTradesAreLost.set(told.marketId, gapIfLost(told, intervalMs, ifTradesAreLost.get(told.marketId)))
  }

  #retainedOf(shard: string): RetainedTicks {
    const known = this.#retained.get(shard) ?? new RetainedTicks()
    this.#retained.set(shard, known)
    return known
  }

  #rowsOf(shard: string): TickRows {
    const known = this.#pending.get(shard)
    if (known !== undefined) return known
    const rows = noRows()
    this.#pending.set(shard, rows)
    return rows
  }
}

/**
 * Without a hole since the earlier recorder, its last slot counts as ours: a market with a long interval may have no
 * slot of its own while we hold the shard.
 */
function noteAccounted({ recorded, seamless, firstTickMs }: Shard, tickMs: number | undefined): void {
  if (tickMs === undefined) return
  for (const [id, { market, ledger }] of recorded) {
    const isAccounted = (ledger.accountedSlot ?? 0) >= slotAt(tickMs, market.intervalMs)
    if (seamless.has(id) && isAccounted && !firstTickMs.has(id)) firstTickMs.set(id, tickMs)
  }
}

/** Trades that came after the earlier recorder's last tick were received by nobody. */
function leftBehind(lastTickMs: number): Absence {
  return { cause: 'capturer_down', detail: 'no recorder was running', rightUntilMs: lastTickMs }
}

function ledgerOf(id: string, intervalMs: number, resumed: ResumedShard | undefined): GapLedger {
  const lastTickMs = resumed?.inherited.get(id)
  const savedSlot = lastTickMs === undefined ? undefined : slotAt(lastTickMs - GAP_RECORD_MAY_LAG_MS, intervalMs)
  const leftAtSlot = savedSlot === undefined ? undefined : (resumed?.stored?.lastInRow(id, savedSlot) ?? savedSlot)
  const ledger = new GapLedger(id, intervalMs, leftAtSlot)
  if (resumed?.wrongTime !== undefined) ledger.clockStepped()
  return ledger
}
