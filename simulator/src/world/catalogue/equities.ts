import { dateSlug, dateText, newYorkTime, type WallTime } from '../new-york.ts'
import type { Random } from '../random.ts'
import { buckets, strikes } from './buckets.ts'
import { DAY_MS, type EventDraft, type MarketDraft, type Occasion, slugify, type Tag, YES_NO } from './draft.ts'

const FINANCE_TAG: Tag = { id: '120', label: 'Finance', slug: 'finance' }
const TAGS = {
  stocks: { id: '102676', label: 'Stocks', slug: 'stocks' },
  ipo: { id: '101253', label: 'IPO', slug: 'ipo' },
  private: { id: '103120', label: 'Private Companies', slug: 'private-companies' },
  earnings: { id: '103041', label: 'Earnings', slug: 'earnings' },
  commodities: { id: '103550', label: 'Commodities', slug: 'commodities' },
  forex: { id: '103562', label: 'Forex', slug: 'forex' },
  indices: { id: '103570', label: 'Indices', slug: 'indices' },
} satisfies Record<string, Tag>

const STOCKS = ['AAPL', 'NVDA', 'TSLA', 'AMZN', 'META', 'MSFT', 'GOOGL']
const STOCK_PRICES = [255, 240, 410, 260, 690, 480, 275]
const PRIVATE_COMPANIES = ['SpaceX', 'OpenAI', 'Anthropic', 'Stripe', 'Databricks']
const COMMODITIES = [
  ['Gold', 4_400],
  ['Silver', 52],
  ['Crude Oil', 71],
] as const
const PAIRS = ['EUR/USD', 'USD/JPY', 'GBP/USD']

interface Day {
  endMs: number
  date: WallTime
  /** Index that advances through the names, one per round. */
  round: number
  draw: Random
}

/** Every topic and time span of equities markets, once per round. */
export function equitiesEvents({ firstDayMs, round, draw }: Occasion): EventDraft[] {
  const endMs = firstDayMs + (2 + round) * DAY_MS + 21 * 3_600_000
  const day: Day = { endMs, date: newYorkTime(endMs), round, draw }
  return [
    stockUpOrDown(day),
    stockAbove(day),
    stockInMonth(day),
    stockAtYearEnd(day),
    earnings(day),
    deliveries(day),
    largestCompany(day),
    comparison(day),
    indexUpOrDown(day),
    indexOpens(day),
    commodity(day),
    currencies(day),
    goesPublic(day),
    valuation(day),
  ]
}

function at<Item>(items: readonly Item[], round: number): Item {
  const item = items[round % items.length]
  if (item === undefined) throw new Error('an empty list has no item')
  return item
}

function event(
  title: string,
  slug: string,
  tags: readonly Tag[],
  endMs: number,
  markets: readonly MarketDraft[],
): EventDraft {
  return {
    slug,
    title,
    description: `${title} Settled by the official closing figures, or by the company's own statement where there is no such figure.`,
    resolutionSource: 'https://www.wsj.com/market-data',
    tags: [...tags, FINANCE_TAG],
    negRisk: false,
    endMs,
    markets,
  }
}

/** An event of a single Yes/No question under the same slug. */
function question(title: string, tags: readonly Tag[], endMs: number): EventDraft {
  const slug = slugify(title)
  return event(title, slug, tags, endMs, [{ slug, question: title, outcomes: YES_NO }])
}

function upOrDown(name: string, slug: string, title: string, tags: readonly Tag[], { endMs, round }: Day): EventDraft {
  const seriesSlug = `${name.toLowerCase()}-daily-up-down`
  return {
    ...event(title, slug, tags, endMs, [{ slug, question: title, outcomes: ['Up', 'Down'] }]),
    series: {
      id: String(10_800 + (round % STOCKS.length)),
      slug: seriesSlug,
      title: `${name} Daily Up or Down`,
      recurrence: 'daily',
    },
    startMs: endMs - 6.5 * 3_600_000,
  }
}

function stockUpOrDown(day: Day): EventDraft {
  const stock = at(STOCKS, day.round)
  const slug = `${stock.toLowerCase()}-up-or-down-on-${dateSlug(day.date)}`
  return upOrDown(stock, slug, `${stock} Up or Down on ${dateText(day.date)}?`, [TAGS.stocks], day)
}

function stockAbove({ endMs, date, round }: Day): EventDraft {
  const stock = at(STOCKS, round)
  const price = at(STOCK_PRICES, round)
  const slug = `${stock.toLowerCase()}-above-on-${dateSlug(date)}`
  const levels = [-10, -5, 0, 5, 10].map((step) => price + step)
  return event(`${stock} closes above ___ on ${dateText(date)}?`, slug, [TAGS.stocks], endMs, [
    ...strikes(slug, levels, String, (level) => `Will ${stock} close above $${level} on ${dateText(date)}?`).map(
      (market, index) => ({ ...market, slug: `${stock.toLowerCase()}-above-${levels[index]}-on-${dateSlug(date)}` }),
    ),
  ])
}

function stockInMonth({ endMs, date, round }: Day): EventDraft {
  const stock = at(STOCKS, round)
  const price = at(STOCK_PRICES, round)
  const slug = `what-price-will-${stock.toLowerCase()}-hit-in-${date.month.toLowerCase()}-${date.year}-${round}`
  const levels = [0, 15, 30, 45].map((step) => price + step)
  return event(
    `What price will ${stock} hit in ${date.month} ${date.year}?`,
    slug,
    [TAGS.stocks],
    endMs + 20 * DAY_MS,
    [...strikes(slug, levels, String, (level) => `Will ${stock} hit $${level} in ${date.month}?`)],
  )
}

function stockAtYearEnd({ date, round }: Day): EventDraft {
  const stock = at(STOCKS, round)
  const year = date.year + Math.floor(round / STOCKS.length)
  return question(`Will ${stock} finish ${year} higher than it began?`, [TAGS.stocks], Date.UTC(year, 11, 31, 21))
}

function earnings({ endMs, date, round }: Day): EventDraft {
  const stock = at(STOCKS, round)
  return question(
    `Will ${stock} beat quarterly earnings (${dateText(date)} ${date.year})?`,
    [TAGS.stocks, TAGS.earnings],
    endMs + 5 * DAY_MS,
  )
}

function deliveries({ endMs, date, round, draw }: Day): EventDraft {
  const quarter = `Q${1 + (round % 4)} ${date.year + Math.floor(round / 4)}`
  const slug = slugify(`tesla deliveries in ${quarter}`)
  const labels = ['<400k', '400k-450k', '450k-500k', '500k+']
  return {
    ...event(`How many Tesla deliveries in ${quarter}?`, slug, [TAGS.stocks], endMs + 60 * DAY_MS, [
      ...buckets(slug, labels, (label) => `Will Tesla deliver ${label} vehicles in ${quarter}?`, draw),
    ]),
    negRisk: true,
  }
}

function largestCompany({ endMs, date, round, draw }: Day): EventDraft {
  const slug = slugify(`largest company end of ${date.month} ${date.year} ${round}`)
  return {
    ...event(`Largest company end of ${date.month} ${date.year}?`, slug, [TAGS.stocks], endMs + 15 * DAY_MS, [
      ...buckets(
        slug,
        ['NVIDIA', 'Apple', 'Microsoft', 'Alphabet'],
        (name) => `Will ${name} be the largest company at the end of ${date.month}?`,
        draw,
      ),
    ]),
    negRisk: true,
  }
}

function comparison({ endMs, date, round }: Day): EventDraft {
  const one = at(STOCKS, round)
  const other = at(STOCKS, round + 1)
  return question(
    `Will ${one} do better than ${other} in ${date.month} ${date.year} (${round})?`,
    [TAGS.stocks],
    endMs + 20 * DAY_MS,
  )
}

function indexUpOrDown(day: Day): EventDraft {
  return upOrDown(
    'SPX',
    `spx-up-or-down-on-${dateSlug(day.date)}`,
    `S&P 500 (SPX) Up or Down on ${dateText(day.date)}?`,
    [TAGS.indices],
    day,
  )
}

function indexOpens(day: Day): EventDraft {
  return upOrDown(
    'SPX',
    `spx-opens-up-or-down-on-${dateSlug(day.date)}`,
    `S&P 500 (SPX) Opens Up or Down on ${dateText(day.date)}?`,
    [TAGS.indices],
    day,
  )
}

function commodity({ endMs, date, round }: Day): EventDraft {
  const [name, price] = at(COMMODITIES, round)
  const slug = slugify(`${name} above on ${dateText(date)} ${date.year}`)
  const levels = [0.97, 1, 1.03].map((factor) => Math.round(price * factor))
  return event(`${name} above ___ on ${dateText(date)}?`, slug, [TAGS.commodities], endMs, [
    ...strikes(slug, levels, String, (level) => `Will ${name} settle above $${level} on ${dateText(date)}?`),
  ])
}

function currencies({ endMs, date, round }: Day): EventDraft {
  return question(`Will ${at(PAIRS, round)} close higher on ${dateText(date)}, ${date.year}?`, [TAGS.forex], endMs)
}

function goesPublic({ date, round }: Day): EventDraft {
  const company = at(PRIVATE_COMPANIES, round)
  const year = date.year + 1 + Math.floor(round / PRIVATE_COMPANIES.length)
  return question(`${company} IPO before ${year}?`, [TAGS.ipo], Date.UTC(year, 0, 1))
}

function valuation({ date, round, draw }: Day): EventDraft {
  const company = at(PRIVATE_COMPANIES, round)
  const year = date.year + Math.floor(round / PRIVATE_COMPANIES.length)
  const slug = slugify(`${company} valuation at the end of ${year}`)
  return {
    ...event(`${company} valuation at the end of ${year}?`, slug, [TAGS.private], Date.UTC(year, 11, 31), [
      ...buckets(
        slug,
        ['<$500B', '$500B-$1T', '$1T-$2T', '$2T+'],
        (label) => `Will ${company} be valued at ${label}?`,
        draw,
      ),
    ]),
    negRisk: true,
  }
}
