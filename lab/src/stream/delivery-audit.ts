import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickHouseClient } from '@clickhouse/client'
import type { StreamFollower, ToldGap } from './stream-follower.ts'

export interface DeliveryAudit {
  readonly delivered: number
  /** Stored rows between the first and the last frame of a client and market that were never sent to it. */
  readonly notDelivered: number
  /** Frames sent that are not stored. */
  readonly notStored: number
  readonly gapsTold: number
  /** Announced gaps that are not stored with this cause and these slots. */
  readonly unconfirmed: readonly ToldGap[]
  /** Slots announced as missing that have a row. */
  readonly gapsOverRows: readonly ToldGap[]
}

interface LedgerLine {
  readonly market: string
  readonly fromSlot: number
  readonly toSlot: number
  readonly kind: string
  readonly cause: string
}

const STORED_WITHIN_S = 180

/** Compares received frames with ClickHouse, without code of the service. */
export async function auditDelivery(
  clickhouse: ClickHouseClient,
  followers: readonly StreamFollower[],
): Promise<DeliveryAudit> {
  const markets = [...new Set(followers.flatMap((each) => each.markets))]
  await untilStored(clickhouse, followers, markets)
  const stored = await storedSlots(clickhouse, markets)
  const ledger = Map.groupBy(await ledgerLines(clickhouse, markets), ({ market }) => market)
  let [delivered, notDelivered, notStored] = [0, 0, 0]
  for (const follower of followers) {
    for (const market of follower.markets) {
      const got = follower.seqsOf(market)
      const [first, last] = [got[0], got.at(-1)]
      if (first === undefined || last === undefined) continue
      const slots = stored.get(market) ?? new Set<number>()
      const known = new Set(got)
      delivered += got.length
      notStored += got.filter((seq) => !slots.has(seq)).length
      for (const slot of slots) if (slot >= first && slot <= last && !known.has(slot)) notDelivered++
    }
  }
  const told = unique(followers.flatMap(({ gaps }) => gaps))
  return {
    delivered,
    notDelivered,
    notStored,
    gapsTold: told.length,
    unconfirmed: told.filter((gap) => !isConfirmed(gap, ledger.get(gap.market) ?? [])),
    gapsOverRows: told.filter(({ market, fromSeq, toSeq, kind }) => {
      if (kind !== 'missing') return false
      for (let slot = fromSeq; slot <= toSeq; slot++) if (stored.get(market)?.has(slot)) return true
      return false
    }),
  }
}

function isConfirmed({ fromSeq, toSeq, kind, cause }: ToldGap, lines: readonly LedgerLine[]): boolean {
  const telling = lines.filter((line) => line.kind === kind && (cause === null || line.cause === cause))
  for (let slot = fromSeq; slot <= toSeq; slot++) {
    if (!telling.some(({ fromSlot, toSlot }) => fromSlot <= slot && slot <= toSlot)) return false
  }
  return true
}

function unique(gaps: readonly ToldGap[]): ToldGap[] {
  return [...new Map(gaps.map((gap) => [JSON.stringify(gap), gap])).values()]
}

async function untilStored(
  clickhouse: ClickHouseClient,
  followers: readonly StreamFollower[],
  markets: readonly string[],
): Promise<void> {
  const newest = new Map(
    markets.map((market) => [market, Math.max(0, ...followers.map((each) => each.seqsOf(market).at(-1) ?? 0))]),
  )
  for (let second = 0; second < STORED_WITHIN_S; second++) {
    const found = await ask<{ market: string; slot: string }>(
      clickhouse,
      `SELECT ${MARKET}, max(slot) AS slot FROM snapshots WHERE ${CHOSEN} GROUP BY market_id`,
      markets,
    )
    const last = new Map(found.map(({ market, slot }) => [market, Number(slot)]))
    if ([...newest].every(([market, slot]) => (last.get(market) ?? 0) >= slot)) return
    await sleep(1_000)
  }
}

async function storedSlots(
  clickhouse: ClickHouseClient,
  markets: readonly string[],
): Promise<Map<string, ReadonlySet<number>>> {
  const found = await ask<{ market: string; slots: string[] }>(
    clickhouse,
    `SELECT ${MARKET}, groupUniqArray(slot) AS slots FROM snapshots WHERE ${CHOSEN} GROUP BY market_id`,
    markets,
  )
  return new Map(found.map(({ market, slots }) => [market, new Set(slots.map(Number))]))
}

async function ledgerLines(clickhouse: ClickHouseClient, markets: readonly string[]): Promise<LedgerLine[]> {
  const found = await ask<Record<'market' | 'fromSlot' | 'toSlot' | 'kind' | 'cause', string>>(
    clickhouse,
    `SELECT ${MARKET}, from_slot AS fromSlot, max(to_slot) AS toSlot, kind, cause FROM gaps WHERE ${CHOSEN}
      GROUP BY market_id, from_slot, kind, cause`,
    markets,
  )
  return found.map((line) => ({ ...line, fromSlot: Number(line.fromSlot), toSlot: Number(line.toSlot) }))
}

const MARKET = "concat('0x', lower(hex(market_id))) AS market"
const CHOSEN = "concat('0x', lower(hex(market_id))) IN {markets:Array(String)}"

async function ask<Row>(clickhouse: ClickHouseClient, query: string, markets: readonly string[]): Promise<Row[]> {
  const answer = await clickhouse.query({ query, query_params: { markets }, format: 'JSONEachRow' })
  return answer.json<Row>()
}
