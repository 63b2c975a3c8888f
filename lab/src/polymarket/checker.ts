import { createLedger, tellProblem } from './ledger.ts'
import { createMarketWatch, type MarketWatch } from './market-watch.ts'
import { type MarketEvent, readFrame } from './read-frame.ts'
import { noCounts, type Tally } from './tally.ts'
import { createTokenWatch, type StartingBook, type TokenFacts, type TokenWatch } from './token-watch.ts'

export interface Checker {
  /** One received text frame, in the order of arrival. */
  take(frameText: string): void
  /** Starts a token from a book that was not received, such as the mirror of the other token's. */
  hold(assetId: string, book: StartingBook & { readonly lastTradePrice: string }): void
  /** Settles all pending hashes at the end of the input. */
  finish(): void
  tally(): Tally
  /** `timestamp:hash` of the token's proved batches, in order. */
  provedKeys(assetId: string): readonly string[]
}

/** Proves every published hash of the tokens in `facts`; entries may be added while it runs. */
export function createChecker({ facts }: { readonly facts: ReadonlyMap<string, TokenFacts> }): Checker {
  const ledger = createLedger()
  const tokens = new Map<string, TokenWatch>()
  const markets = new Map<string, MarketWatch>()
  const events: Record<string, number> = {}
  const unknownEvents: Record<string, number> = {}
  let texts = 0

  function marketOf(market: string): MarketWatch {
    const watch = markets.get(market) ?? createMarketWatch(ledger)
    markets.set(market, watch)
    return watch
  }

  /** The watch of a token that is followed, when the event names the market it belongs to. */
  function tokenOf(assetId: string, market: string): TokenWatch | undefined {
    const known = facts.get(assetId)
    if (!known) {
      ledger.ignored += 1
      return undefined
    }
    if (known.market !== market) throw new Error(`${assetId} belongs to ${known.market}, not to ${market}`)
    const watch = tokens.get(assetId) ?? createTokenWatch(assetId, known, marketOf(market), ledger)
    tokens.set(assetId, watch)
    return watch
  }

  function apply(event: MarketEvent): void {
    switch (event.kind) {
      case 'book':
        tokenOf(event.assetId, event.market)?.takeBook(event)
        break
      case 'price_change':
        for (const change of event.changes) tokenOf(change.assetId, event.market)?.takeChange(change, event.timestamp)
        break
      case 'last_trade_price':
        marketOf(event.market).takeTrade(event.price, event.timestamp)
        break
      case 'tick_size_change':
        tokenOf(event.assetId, event.market)?.takeTick(event.newTickSize)
        break
      case 'best_bid_ask':
      case 'new_market':
      case 'market_resolved':
        break
      case 'unknown':
        unknownEvents[event.eventType] = (unknownEvents[event.eventType] ?? 0) + 1
        return
      case 'malformed':
        tellProblem(ledger, event.reason)
        return
    }
    events[event.kind] = (events[event.kind] ?? 0) + 1
  }

  return {
    take(frameText) {
      const received = readFrame(frameText)
      if (!received) texts += 1
      for (const event of received ?? []) {
        try {
          apply(event)
        } catch (error) {
          tellProblem(ledger, `${event.kind}: ${error instanceof Error ? error.message : String(error)}`)
        }
      }
    },
    hold(assetId, book) {
      const known = facts.get(assetId)
      if (!known) throw new Error(`no facts about token ${assetId}`)
      tokenOf(assetId, known.market)?.hold(book)
      marketOf(known.market).state(book.lastTradePrice)
    },
    finish() {
      for (const token of tokens.values()) token.settle()
    },
    tally() {
      const { mismatches: _, ...sum } = noCounts()
      for (const counts of ledger.perMarket.values()) {
        sum.batches += counts.batches
        sum.provedBatches += counts.provedBatches
        sum.books += counts.books
        sum.provedBooks += counts.provedBooks
      }
      return {
        ...sum,
        mismatches: [...ledger.mismatches],
        pending: [...tokens.values()].filter((token) => token.pending).length,
        proofs: { ...ledger.proofs },
        wrongTops: ledger.wrongTops,
        ignored: ledger.ignored,
        events: { ...events },
        unknownEvents: { ...unknownEvents },
        texts,
        problemCount: ledger.problemCount,
        problems: [...ledger.problems],
        perMarket: Object.fromEntries([...ledger.perMarket].map(([market, counts]) => [market, { ...counts }])),
      }
    },
    provedKeys: (assetId) => ledger.provedKeys.get(assetId) ?? [],
  }
}
