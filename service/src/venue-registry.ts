import type { z } from 'zod'
import type { Proof } from './domain/proof.ts'
import { BINANCE } from './venues/binance/definition.ts'
import { HYPERLIQUID } from './venues/hyperliquid/definition.ts'
import { KALSHI } from './venues/kalshi/definition.ts'
import { POLYMARKET } from './venues/polymarket/definition.ts'
import { RTDS } from './venues/rtds/definition.ts'

/** Every venue that Bookreel knows. A new venue is one line here, its folder, and its page in `docs/venues/`. */
const VENUES = [POLYMARKET, KALSHI, HYPERLIQUID, BINANCE, RTDS] as const

type Definition = (typeof VENUES)[number]
type OfKind<Kind extends Definition['kind']> = Extract<Definition, { kind: Kind }>
type ToIntersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** Markets with two books, in the order in which users see them: the first is the default. */
export const BINARY_VENUES = ofKind('binary')
export const PERP_VENUES = ofKind('perp')
export const PRICE_VENUES = ofKind('price')

/** The settings of all venues. */
export const VENUE_SETTINGS = Object.assign({}, ...VENUES.map(({ settings }) => settings)) as ToIntersection<
  Definition['settings']
>
export const VENUE_SECRETS: readonly string[] = VENUES.flatMap((venue) => ('secrets' in venue ? venue.secrets : []))

export type VenueConfig = z.infer<z.ZodObject<typeof VENUE_SETTINGS>>

/** What lists, slugs, selectors and files mean when they name no venue. */
export const DEFAULT_VENUE = BINARY_VENUES[0].id
export const DEFAULT_PERP_VENUE = PERP_VENUES[0].id

const PROOFS = new Map<string, Proof>([...BINARY_VENUES, ...PERP_VENUES].map(({ id, proof }) => [id, proof]))

/** A venue that is not known, because only rows of the market are left, offers nothing that could be checked. */
export function proofOf(venue: string): Proof {
  return PROOFS.get(venue) ?? 'none'
}

function ofKind<Kind extends Definition['kind']>(kind: Kind): [OfKind<Kind>, ...OfKind<Kind>[]] {
  return VENUES.filter((venue) => venue.kind === kind) as [OfKind<Kind>, ...OfKind<Kind>[]]
}
