import { HOURLY_SERIES, WINDOW_SERIES } from './crypto.ts'
import type { Series, SeriesFacts } from './draft.ts'
import { ECONOMICS_SERIES, EQUITY_SERIES, SOCIAL_SERIES, WEATHER_SERIES } from './reports.ts'
import { COMBO_SERIES, SPORTS_SERIES } from './sports.ts'

const GROUPS = [HOURLY_SERIES, SPORTS_SERIES, WEATHER_SERIES, ECONOMICS_SERIES, EQUITY_SERIES, SOCIAL_SERIES]

/** All series but the windows, so ordered that a small world has every category. */
export const OTHER_SERIES: readonly Series[] = Array.from({ length: Math.max(...GROUPS.map((group) => group.length)) })
  .flatMap((_, rank) => GROUPS.map((group) => group[rank]))
  .filter((series) => series !== undefined)

/** Listed, but without open events: older generations of a product, and series that nobody continues. */
const DORMANT: readonly (readonly [ticker: string, title: string, category: string])[] = [
  ['KXADA15M', 'Cardano price up or down in 15 minutes', 'Crypto'],
  ['KXHIGHTEMPDEN', 'Highest temperature in Denver', 'Climate and Weather'],
  ['KXELONTWEETS', 'Posts of Elon Musk', 'Social'],
]

export const ALL_SERIES: readonly SeriesFacts[] = [
  ...[...WINDOW_SERIES, ...OTHER_SERIES, COMBO_SERIES].map(({ facts }) => facts),
  ...DORMANT.map(([ticker, title, category]) => ({
    ticker,
    title,
    category,
    tags: [],
    frequency: 'custom',
    source: { name: 'Various', url: 'https://kalshi.com/' },
    exchangeIndex: 0,
  })),
]
