import { existsSync, readdirSync } from 'node:fs'

/** `0x` and ten hex digits. */
const ID_CHARACTERS = 12
const MAX_SLUG_LENGTH = 80

/** The folders of markets in the folder of a download. */
export class MarketFolders {
  readonly #existing: readonly string[]
  readonly #older = new Set<string>()

  constructor(folder: string) {
    this.#existing = existsSync(folder) ? readdirSync(folder) : []
  }

  /** Folders that version 0.6 and older named with the whole id; their files stay where they are. */
  get older(): ReadonlySet<string> {
    return this.#older
  }

  /** `<slug>--<start of the id>` */
  of(market: string, slug: string): string {
    if (!this.#existing.includes(market)) return `${safeSlug(slug)}--${market.slice(0, ID_CHARACTERS)}`
    this.#older.add(market)
    return market
  }
}

/** A slug comes from the venue and must not name another folder, nor exceed the limits of file systems. */
function safeSlug(slug: string): string {
  const safe = slug
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '')
  return safe === '' ? 'market' : safe
}
