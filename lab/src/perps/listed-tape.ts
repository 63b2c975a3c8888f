import type { ApiService } from '../api-service.ts'
import { contextText, type Span, type Tape, tradeText } from './tape.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows of four lists.
type Row = any

export interface ListedTape extends Tape {
  /** When trades and contexts may be missing. */
  readonly gaps: readonly Span[]
}

/** Everything that the four lists of a coin have, over all pages. */
export async function listedTape(
  service: ApiService,
  key: string,
  coin: string,
  { fromMs, toMs }: Span,
): Promise<ListedTape> {
  const all = async (path: string, member: string): Promise<{ rows: Row[]; gaps: Span[] }> => {
    const rows: Row[] = []
    const gaps: Span[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = `symbol=${coin}&from=${fromMs}&to=${toMs}&limit=500${cursor}`
      const asked = { port: service.port, path: `/v1/exchange/${path}?${query}`, headers: { 'x-api-key': key } }
      const { status, body } = await service.client.ask(asked)
      if (status !== 200) throw new Error(`${path} of ${coin} responded with status ${status}`)
      const page = JSON.parse(body.toString())
      rows.push(...page[member])
      for (const { from, to } of page.gaps) gaps.push({ fromMs: Date.parse(from), toMs: Date.parse(to) })
      cursor = page.next_cursor === null ? undefined : `&cursor=${page.next_cursor}`
    }
    return { rows, gaps }
  }
  const [trades, funding, interest, prices] = await Promise.all([
    all('trades', 'trades'),
    all('funding', 'funding'),
    all('open-interest', 'open_interest'),
    all('prices', 'prices'),
  ])
  return {
    gaps: trades.gaps,
    trades: trades.rows.map(({ trade_id: id, action, price, size, traded_at }) => {
      const atMs = Date.parse(traded_at)
      return { id, atMs, text: tradeText(id, action, price, size, atMs) }
    }),
    contexts: funding.rows.map(({ received_at, funding_rate, premium }, index) => {
      const { open_interest } = interest.rows[index] ?? {}
      const { mark_price, oracle_price, mid_price } = prices.rows[index] ?? {}
      const figures = [funding_rate, premium, open_interest, mark_price, oracle_price, mid_price]
      return { atMs: Date.parse(received_at), text: contextText(figures) }
    }),
  }
}
