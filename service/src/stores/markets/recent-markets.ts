import { IN_MARKETS, marketParam } from '../books/read-rows.ts'
import { IS_KEPT_DAY } from '../books/stored-since.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { forEverybody } from '../engines/waiting-caller.ts'
import { type Past, PastMarkets } from './past-markets.ts'
import { type RecordedFacts, type RecordedSpan, readFacts, readSpans } from './recorded-spans.ts'

export interface RecordedMarket extends RecordedSpan {
  /** Undefined while the first row of a market is stored but its listing is not. */
  readonly facts: RecordedFacts | undefined
}

export interface RecordedList {
  /** Those that were recorded since the past ends, and open ones; all markets while there is no past. */
  readonly markets: readonly RecordedMarket[]
  readonly past: Past | undefined
  readonly readAtMs: number
}

export interface RecentRequest {
  readonly nowMs: number
  readonly maxAgeMs: number
  /** Markets that are among the recent ones also while they are not recorded. */
  readonly open: () => Iterable<string>
}

/** What does not change between two reads: rows before the days that are counted anew, and the listing. */
interface Known {
  readonly before: RecordedSpan | undefined
  readonly facts: RecordedFacts | undefined
}

const DAY_MS = 86_400_000
const IDS_PER_QUERY = 1_000
const SINCE = `day >= toDate({fromDay:UInt16}) AND ${IS_KEPT_DAY}`
const BEFORE = `${IN_MARKETS} AND day < toDate({fromDay:UInt16}) AND ${IS_KEPT_DAY}`

/** Markets that are being recorded or were on the last two days, in memory: their counts change all the time. */
export class RecentMarkets {
  readonly past: PastMarkets
  readonly #client: ClickHouseReads
  #known = new Map<string, Known>()
  #newest: RecordedList | undefined
  #reading: Promise<RecordedList> | undefined

  constructor(client: ClickHouseReads) {
    this.#client = client
    this.past = new PastMarkets(client)
  }

  /** A list that was read at most `maxAgeMs` ago. Concurrent calls share one read. */
  async list({ nowMs, maxAgeMs, open }: RecentRequest): Promise<RecordedList> {
    if (this.#newest !== undefined && nowMs - this.#newest.readAtMs < maxAgeMs) return this.#newest
    this.#reading ??= forEverybody(() => this.#read(nowMs, open)).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(nowMs: number, open: RecentRequest['open']): Promise<RecordedList> {
    const past = await this.past.read()
    if (past?.version !== this.#newest?.past?.version) this.#known = new Map()
    const fromDay = (past?.toMs ?? 0) / DAY_MS
    const spans = await readSpans(this.#client, SINCE, { fromDay })
    const spanOf = new Map(spans.map((span) => [span.marketId, span]))
    const ids = fromDay === 0 ? [...spanOf.keys()] : [...new Set([...spanOf.keys(), ...open()])]
    const known = await this.#knowAll(ids, fromDay, (id) => spanOf.has(id))
    const markets = ids.flatMap((id): RecordedMarket[] => {
      const { before, facts } = known.get(id) ?? {}
      const span = joined(before, spanOf.get(id))
      return span === undefined ? [] : [{ ...span, facts }]
    })
    this.#known = known
    this.#newest = { markets, past, readAtMs: nowMs }
    return this.#newest
  }

  /** Reads of the markets only what is not known yet. */
  async #knowAll(
    ids: readonly string[],
    fromDay: number,
    hasRows: (id: string) => boolean,
  ): Promise<Map<string, Known>> {
    const isKnown = (id: string): boolean => {
      const known = this.#known.get(id)
      return known !== undefined && (known.facts !== undefined || (known.before === undefined && !hasRows(id)))
    }
    const unknown = ids.filter((id) => !isKnown(id))
    const read = fromDay === 0 ? await this.#readAllFacts() : await this.#readKnown(unknown, fromDay)
    return new Map(ids.map((id) => [id, read.get(id) ?? this.#known.get(id) ?? NOTHING]))
  }

  async #readAllFacts(): Promise<Map<string, Known>> {
    const facts = await readFacts(this.#client, '1', {})
    return new Map(facts.map((each) => [each.marketId, { before: undefined, facts: each }]))
  }

  async #readKnown(ids: readonly string[], fromDay: number): Promise<Map<string, Known>> {
    const found = new Map<string, Known>()
    for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
      const markets = ids.slice(at, at + IDS_PER_QUERY)
      const params = { markets: markets.map(marketParam), fromDay }
      const [spans, facts] = await Promise.all([
        readSpans(this.#client, BEFORE, params),
        readFacts(this.#client, IN_MARKETS, params),
      ])
      const spanOf = new Map(spans.map((span) => [span.marketId, span]))
      const factsOf = new Map(facts.map((each) => [each.marketId, each]))
      for (const id of markets) found.set(id, { before: spanOf.get(id), facts: factsOf.get(id) })
    }
    return found
  }
}

const NOTHING: Known = { before: undefined, facts: undefined }

/** The days of the two are different ones. */
function joined(before: RecordedSpan | undefined, since: RecordedSpan | undefined): RecordedSpan | undefined {
  if (before === undefined || since === undefined) return before ?? since
  return {
    ...since,
    firstSlot: Math.min(before.firstSlot, since.firstSlot),
    lastSlot: Math.max(before.lastSlot, since.lastSlot),
    rowCount: before.rowCount + since.rowCount,
  }
}
