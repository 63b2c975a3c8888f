import { dateSlug, dateText, newYorkTime } from '../new-york.ts'
import { COINS, type Coin } from '../spot.ts'
import { strikes } from './buckets.ts'
import { DAY_MS, type EventDraft, type Occasion, type Tag } from './draft.ts'

const TAGS: readonly Tag[] = [
  { id: '21', label: 'Crypto', slug: 'crypto' },
  { id: '1312', label: 'Crypto Prices', slug: 'crypto-prices' },
]

function usdText(level: number): string {
  return level >= 1000 ? `${level / 1000}k` : String(level)
}

/** Round prices around the usual one, lowest first. */
function levelsAround(coin: Coin, count: number): number[] {
  const step = Number((coin.usualPriceUsd * 0.04).toPrecision(1))
  const middle = Math.round(coin.usualPriceUsd / step)
  return Array.from({ length: count }, (_, index) =>
    Number(((middle + index - Math.floor(count / 2)) * step).toPrecision(6)),
  )
}

/** "Above" on a day and "hit" within a month, for one coin a round. */
export function cryptoPriceEvents({ firstDayMs, round }: Occasion): EventDraft[] {
  const coin = COINS[round % COINS.length]
  if (coin === undefined) return []
  const name = coin.name
  const dayMs = firstDayMs + (2 + round) * DAY_MS + 17 * 3_600_000
  const day = newYorkTime(dayMs)
  const monthEnd = new Date(firstDayMs)
  monthEnd.setUTCMonth(monthEnd.getUTCMonth() + 2 + Math.floor(round / COINS.length), 1)
  const month = newYorkTime(monthEnd.getTime() - DAY_MS)
  const aboveSlug = `${name.toLowerCase()}-above-on-${dateSlug(day)}`
  const hitSlug = `what-price-will-${name.toLowerCase()}-hit-in-${month.month.toLowerCase()}-${month.year}`
  const source = `https://www.binance.com/en/trade/${coin.symbol}_USDT`
  return [
    {
      slug: aboveSlug,
      title: `${name} above ___ on ${dateText(day)}?`,
      description: `Resolves to "Yes" if the ${coin.symbol}/USDT price at noon New York time of the day in the title is above the price in the market's name.`,
      resolutionSource: source,
      series: {
        id: String(10_700 + COINS.indexOf(coin)),
        slug: `${name.toLowerCase()}-multi-strikes-daily`,
        title: `${name} Multi Strikes Daily`,
        recurrence: 'daily',
      },
      tags: TAGS,
      negRisk: false,
      endMs: dayMs,
      markets: strikes(
        aboveSlug,
        levelsAround(coin, 7),
        usdText,
        (level) => `Will the price of ${name} be above $${level.toLocaleString('en-US')} on ${dateText(day)}?`,
      ),
    },
    {
      slug: hitSlug,
      title: `What price will ${name} hit in ${month.month}?`,
      description: `Resolves to "Yes" if any one-minute candle of ${coin.symbol}/USDT within the month touches the price in the market's name.`,
      resolutionSource: source,
      tags: TAGS,
      negRisk: false,
      endMs: monthEnd.getTime() + 5 * 3_600_000,
      markets: strikes(
        hitSlug,
        levelsAround(coin, 6),
        (level) => `reach ${usdText(level)}`,
        (level) => `Will ${name} reach $${level.toLocaleString('en-US')} in ${month.month}?`,
      ),
    },
  ]
}
