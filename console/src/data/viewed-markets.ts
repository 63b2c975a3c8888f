/** A market that was opened in this browser. */
interface ViewedMarket {
  readonly id: string
  readonly slug: string
  readonly question: string
}

interface Stored {
  readonly accountId: string
  readonly markets: readonly ViewedMarket[]
}

const STORED_AS = 'bookreel-viewed'
const MOST = 4

/** Newest first. */
export function withViewed(markets: readonly ViewedMarket[], market: ViewedMarket): ViewedMarket[] {
  return [market, ...markets.filter(({ id }) => id !== market.id)].slice(0, MOST)
}

/** What somebody else has opened in this browser is forgotten, not shown. */
export function viewedMarkets(accountId: string): readonly ViewedMarket[] {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED_AS) ?? '{}') as Partial<Stored>
    return stored.accountId === accountId && Array.isArray(stored.markets) ? stored.markets : []
  } catch {
    return []
  }
}

/** A browser without storage remembers no markets. */
export function noteViewed(accountId: string, market: ViewedMarket): void {
  try {
    const markets = withViewed(viewedMarkets(accountId), market)
    localStorage.setItem(STORED_AS, JSON.stringify({ accountId, markets } satisfies Stored))
  } catch {}
}

export function forgetViewed(): void {
  try {
    localStorage.removeItem(STORED_AS)
  } catch {}
}
