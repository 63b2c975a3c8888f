import type { Bookreel, Selector } from '@bookreel/sdk'
import { CATEGORIES, VENUES } from './arguments.ts'
import { WrongUse } from './exit-codes.ts'
import { checkWindow, type OnOtherWindow } from './other-window.ts'

type Timeframe = Extract<Selector, { timeframe: unknown }>['timeframe']

/** Left out for the venue that the service means by default. */
interface OfVenue {
  readonly venue?: (typeof VENUES)[number]
}

/** The ways to name one market or several on the command line. */
export type MarketReference =
  | { readonly kind: 'id'; readonly id: string }
  | ({ readonly kind: 'slug'; readonly slug: string } & OfVenue)
  | ({ readonly kind: 'window'; readonly coin: string; readonly timeframe: Timeframe } & OfVenue)
  | { readonly kind: 'perp'; readonly symbol: string }
  | ({ readonly kind: 'category'; readonly category: (typeof CATEGORIES)[number] } & OfVenue)

export const REFERENCE_HELP = `Name a market by its condition id (0x…), by its slug, the start of its slug or its Polymarket address, or by coin and
timeframe: BTC/5m (or btc-updown-5m) is the window that is open now. BTC/perp is the perpetual future. Slugs, windows and
categories are those of Polymarket; put kalshi: before one of Kalshi, such as kalshi:BTC/1h.`

const VENUE_PREFIX = new RegExp(`^(${VENUES.join('|')}):(.+)$`, 'i')
const WINDOW_FORMS = [/^([a-z0-9]{2,10})\/(5m|15m|1h|4h|1d)$/i, /^([a-z0-9]{2,5})-updown-(5m|15m|1h|4h|1d)$/i]
/** The last part of the path is the slug of the market, or of its event. */
const VENUE_ADDRESS = /^https?:\/\/(?:www\.)?polymarket\.com\/(?:[^?#]*\/)?([^/?#]+)\/?(?:[?#]|$)/i

export function readReference(text: string): MarketReference {
  const [, prefix, rest] = VENUE_PREFIX.exec(text) ?? []
  const venue = VENUES.find((each) => each === prefix?.toLowerCase())
  if (venue !== undefined && rest !== undefined) return ofVenue(readReference(rest), venue, text)
  const [, slug] = VENUE_ADDRESS.exec(text) ?? []
  if (slug !== undefined) return readReference(slug)
  if (/^0x[0-9a-f]{64}$/i.test(text)) return { kind: 'id', id: text.toLowerCase() }
  const [, coin, timeframe] = WINDOW_FORMS.map((form) => form.exec(text)).find((found) => found !== null) ?? []
  if (coin !== undefined && timeframe !== undefined) {
    return { kind: 'window', coin: coin.toUpperCase(), timeframe: timeframe.toLowerCase() as Timeframe }
  }
  const symbol = (/^([a-z0-9]{2,10})\/perp$/i.exec(text) ?? /^hyperliquid(?:_perp)?:([a-z0-9]{2,10})$/i.exec(text))?.[1]
  if (symbol !== undefined) return { kind: 'perp', symbol: symbol.toUpperCase() }
  if (/^category:/i.test(text)) {
    const category = CATEGORIES.find((each) => each === text.slice('category:'.length).toLowerCase())
    if (category === undefined) throw new WrongUse(`Unknown category in ${text}. Categories: ${CATEGORIES.join(', ')}.`)
    return { kind: 'category', category }
  }
  if (text.trim() === '' || text.includes('/'))
    throw new WrongUse(`"${text}" does not name a market. ${REFERENCE_HELP}`)
  return { kind: 'slug', slug: text }
}

function ofVenue(reference: MarketReference, venue: (typeof VENUES)[number], text: string): MarketReference {
  if (reference.kind !== 'perp') return reference.kind === 'id' ? reference : { ...reference, venue }
  throw new WrongUse(`${text} is not a prediction market. Write ${reference.symbol}/perp without a venue.`)
}

/** The parameter or member of a request for the markets of a reference. */
export function venueOf(reference: MarketReference): OfVenue {
  return 'venue' in reference && reference.venue !== undefined ? { venue: reference.venue } : {}
}

/** Looks up one prediction market. */
export async function findMarket(
  client: Bookreel,
  text: string,
  onOtherWindow: OnOtherWindow,
): Promise<{ readonly id: string; readonly slug: string }> {
  const reference = readReference(text)
  if (reference.kind === 'id') return { id: reference.id, slug: '' }
  const requested = slugOf(reference, text)
  const found = await client.markets.get(requested, venueOf(reference))
  checkWindow(requested, found, onOtherWindow)
  return { id: found.market_id, slug: found.slug }
}

/** The id or slug by which the service finds the market. */
export function slugOf(reference: MarketReference, text: string): string {
  switch (reference.kind) {
    case 'id':
      return reference.id
    case 'slug':
      return reference.slug
    case 'window':
      return `${reference.coin.toLowerCase()}-updown-${reference.timeframe}`
    default:
      throw new WrongUse(`${text} is not a single prediction market. Give a condition id, a slug, or coin/timeframe.`)
  }
}

/** The selector of a stream, and a name for its output lines. A coin and timeframe also selects later windows. */
export async function selectorOf(
  client: Bookreel,
  text: string,
  onOtherWindow: OnOtherWindow,
): Promise<{ readonly selector: Selector; readonly name: string }> {
  const reference = readReference(text)
  switch (reference.kind) {
    case 'window':
      return {
        selector: { coin: reference.coin, timeframe: reference.timeframe, ...venueOf(reference) },
        name: `${reference.venue === undefined ? '' : `${reference.venue}:`}${reference.coin}/${reference.timeframe}`,
      }
    case 'perp':
      return { selector: { symbol: reference.symbol }, name: `${reference.symbol}/perp` }
    case 'category':
      return { selector: { category: reference.category, ...venueOf(reference) }, name: '' }
    default: {
      const { id, slug } = await findMarket(client, text, onOtherWindow)
      return { selector: { market: id }, name: slug }
    }
  }
}
