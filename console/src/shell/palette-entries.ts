import { DOCUMENTS, OPERATOR_PAGES, PAGES } from './pages.ts'

type ConsolePage = (typeof PAGES | typeof OPERATOR_PAGES)[number]

interface Shown {
  readonly id: string
  readonly name: string
  readonly hint: string
}

export type PaletteEntry = Shown &
  (
    | { readonly kind: 'page'; readonly to: ConsolePage['to'] }
    | { readonly kind: 'document'; readonly href: string }
    | { readonly kind: 'market'; readonly market: string }
    | { readonly kind: 'series'; readonly coin: string; readonly timeframe: string }
  )

function entryOf({ to, name, hint }: ConsolePage): PaletteEntry {
  return { kind: 'page', id: to, to, name, hint }
}

const OF_EVERYBODY: readonly PaletteEntry[] = [
  ...PAGES.map(entryOf),
  ...DOCUMENTS.map(({ href, name, hint }) => ({ kind: 'document' as const, id: href, href, name, hint })),
]
const OF_OPERATORS: readonly PaletteEntry[] = [...OF_EVERYBODY, ...OPERATOR_PAGES.map(entryOf)]

/** Pages whose name or purpose contains every word; names first. */
export function matchingPages(text: string, isOperator: boolean): readonly PaletteEntry[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const matches = (isOperator ? OF_OPERATORS : OF_EVERYBODY).filter(({ name, hint }) => {
    const searched = `${name} ${hint}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  const isNamed = ({ name }: PaletteEntry): boolean => words.some((word) => name.toLowerCase().startsWith(word))
  return [...matches.filter(isNamed), ...matches.filter((entry) => !isNamed(entry))]
}

const SERIES = /^([a-z]{2,8})[\s/]+(5m|15m|1h|4h|1d)$/i

/** The windows of a coin, by a name such as `BTC/5m` or `btc 5m`. */
export function matchingSeries(text: string): readonly PaletteEntry[] {
  const [, coin = '', timeframe = ''] = SERIES.exec(text.trim())?.map((part) => part.toUpperCase()) ?? []
  if (coin === '') return []
  const name = `${coin}/${timeframe.toLowerCase()}`
  const hint = 'the window that is open now, then the next ones'
  return [{ kind: 'series', id: name, coin, timeframe: timeframe.toLowerCase(), name, hint }]
}
