/** Slugs without a venue are looked up at this one. */
const SLUG_VENUE = 'polymarket'

interface NamedMarket {
  readonly id: string
  readonly slug: string
  readonly venue: string
}

/** What names a market in an address: its slug, or its id where a slug would not be found. */
export function addressName({ id, slug, venue }: NamedMarket): string {
  return slug !== '' && venue === SLUG_VENUE ? slug : id
}
