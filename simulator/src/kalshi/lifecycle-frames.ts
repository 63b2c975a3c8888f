import type { LifecycleKind } from './happenings.ts'
import type { KalshiMarket } from './kalshi-market.ts'
import { seconds } from './number-text.ts'

/** What a message about the life of a market says besides its ticker and type. */
const CONTENTS: Readonly<Record<LifecycleKind, (market: KalshiMarket, atMs: number) => object>> = {
  created: createdContent,
  activated: () => ({ is_deactivated: false }),
  deactivated: () => ({ is_deactivated: true }),
  close_date_updated: ({ closeMs }) => ({ close_ts: seconds(closeMs) }),
  determined: ({ result }, atMs) => ({
    determination_ts: seconds(atMs),
    result,
    settlement_value: result === 'yes' ? '1.0000' : '0.0000',
  }),
  settled: (_market, atMs) => ({ settled_ts: seconds(atMs) }),
  price_level_structure_updated: ({ grid }) => ({ price_level_structure: grid.name, price_ranges: grid.rangeTexts }),
  metadata_updated: ({ strike, draft }) => ({
    floor_strike: strike,
    strike_type: draft.strikeType,
    yes_sub_title: yesSubTitle({ strike, draft }),
  }),
}

export function lifecycleTail(market: KalshiMarket, event: LifecycleKind, atMs: number): string {
  const message = { market_ticker: market.ticker, ...CONTENTS[event](market, atMs), event_type: event }
  return `,"msg":${JSON.stringify(message)}}`
}

function createdContent({ event, draft, closeMs, strike, grid }: KalshiMarket): object {
  const title = yesSubTitle({ strike, draft })
  return {
    open_ts: seconds(event.openMs),
    close_ts: seconds(closeMs),
    additional_metadata: {
      name: title,
      title: draft.title,
      yes_sub_title: title,
      no_sub_title: title,
      rules_primary: draft.rules,
      rules_secondary: '',
      can_close_early: event.shownCloseMs !== undefined,
      event_ticker: event.ticker,
      expected_expiration_ts: seconds(event.closeMs),
      strike_type: draft.strikeType,
      floor_strike: draft.floorStrike,
      cap_strike: draft.capStrike,
    },
    price_level_structure: grid.name,
    price_ranges: grid.rangeTexts,
    exchange_index: event.series.facts.exchangeIndex,
  }
}

/** Of a window, the price to beat is part of it as soon as it is known. */
export function yesSubTitle({ strike, draft }: Pick<KalshiMarket, 'strike' | 'draft'>): string {
  return strike !== undefined && draft.spot?.rule === 'at least' ? `Price to beat: $${strike}` : draft.yesSubTitle
}
