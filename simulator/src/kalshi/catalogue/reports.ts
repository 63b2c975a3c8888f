import { dateText, newYorkTime } from '../../world/new-york.ts'
import { fixedNumber, seedOf } from '../../world/random.ts'
import { type DraftContext, type EventDraft, type Series, type SeriesFacts, SLOW_SETTLEMENT } from './draft.ts'
import { above, levels, oneOf, ranges } from './ladders.ts'
import { clockCode, daily, dayCode, everyMs, monthCode, monthly, type Schedule, weekly } from './schedules.ts'

/** Series that are settled by a published report: weather, economics, posts and stock indices. */

const HOUR_MS = 3_600_000
const CITIES: readonly (readonly [code: string, name: string, usualHigh: number])[] = [
  ['NY', 'New York City', 52],
  ['LAX', 'Los Angeles', 70],
  ['CHI', 'Chicago', 46],
  ['MIA', 'Miami', 82],
  ['AUS', 'Austin', 68],
  ['DEN', 'Denver', 50],
  ['PHIL', 'Philadelphia', 53],
  ['TSFO', 'San Francisco', 62],
  ['TSEA', 'Seattle', 50],
  ['TATL', 'Atlanta', 62],
  ['TBOS', 'Boston', 50],
  ['TDAL', 'Dallas', 66],
]
const BUCKETS = 6
const FED_OUTCOMES = [
  ['C26', 'Cut more than 25bps'],
  ['C25', 'Cut 25bps'],
  ['H0', 'Hike 0bps'],
  ['H25', 'Hike 25bps'],
  ['H26', 'Hike more than 25bps'],
] as const
const INDICES = [
  ['KXINXU', 'S&P 500', 6_800, 20],
  ['KXNASDAQ100U', 'Nasdaq-100', 25_000, 100],
] as const
const INDEX_LEVELS = 10

function report(
  facts: Omit<SeriesFacts, 'exchangeIndex'>,
  schedule: Schedule,
  marketsPerEvent: number,
  draft: Series['draft'],
): Series {
  return {
    facts: { ...facts, exchangeIndex: 0 },
    grid: 'linear_cent',
    schedule,
    marketsPerEvent,
    ...SLOW_SETTLEMENT,
    draft,
  }
}

/** A whole number around zero that depends only on the series and the event. */
function shift(seed: string, ticker: string, index: number, most: number): number {
  return Math.round((fixedNumber(seedOf(seed, 'shift', ticker), index) * 2 - 1) * most)
}

export const WEATHER_SERIES: readonly Series[] = CITIES.map(([code, name, usualHigh]) => {
  const ticker = `KXHIGH${code}`
  const facts = {
    ticker,
    title: `Highest temperature in ${name}`,
    category: 'Climate and Weather',
    tags: ['Daily temperature'],
    frequency: 'daily',
    source: { name: 'National Weather Service', url: 'https://www.weather.gov/' },
  }
  return report(facts, daily(23), BUCKETS, (day, { seed, closeMs }): EventDraft => {
    const date = dateText(newYorkTime(closeMs))
    const lowest = usualHigh - 4 + shift(seed, ticker, day, 5)
    const title = `Highest temperature in ${name} on ${date}?`
    const rules = (label: string) =>
      `If the highest temperature recorded in ${name} on ${date} is ${label}, then the market resolves to Yes.`
    return {
      ticker: `${ticker}-${dayCode(closeMs)}`,
      title,
      subTitle: `On ${date}`,
      isExclusive: true,
      markets: oneOf(ranges(lowest, BUCKETS, 2, '°'), title, rules),
    }
  })
})

const ECONOMY = {
  category: 'Economics',
  frequency: 'monthly',
  source: { name: 'Bureau of Labor Statistics', url: 'https://www.bls.gov/' },
}

function monthlyLevels(ticker: string, title: string, tags: readonly string[], strikes: readonly number[]): Series {
  return report(
    { ...ECONOMY, ticker, title, tags },
    monthly(12, 8),
    strikes.length,
    (_month, { closeMs }): EventDraft => ({
      ticker: `${ticker}-${monthCode(closeMs)}`,
      title: `${title} in ${newYorkTime(closeMs).month}?`,
      subTitle: `In ${newYorkTime(closeMs).month}`,
      isExclusive: false,
      markets: above(
        levels(strikes, (strike) => `Above ${strike}`),
        title,
        (label) => `If the published figure is ${label.toLowerCase()}, then the market resolves to Yes.`,
      ),
    }),
  )
}

function fedDraft(_month: number, { closeMs }: DraftContext): EventDraft {
  const title = `Fed decision in ${newYorkTime(closeMs).month}?`
  const steps = FED_OUTCOMES.map(([suffix, label]) => ({ suffix, label, strike: { strikeType: 'custom' as const } }))
  const rules = (label: string) =>
    `If the decision of the Federal Reserve is "${label}", then the market resolves to Yes.`
  return {
    ticker: `KXFEDDECISION-${monthCode(closeMs)}`,
    title,
    subTitle: `In ${newYorkTime(closeMs).month}`,
    isExclusive: true,
    markets: oneOf(steps, title, rules),
  }
}

export const ECONOMICS_SERIES: readonly Series[] = [
  report(
    {
      ...ECONOMY,
      ticker: 'KXFEDDECISION',
      title: 'Fed decision',
      tags: ['Fed'],
      source: { name: 'Federal Reserve', url: 'https://www.federalreserve.gov/' },
    },
    monthly(28, 14),
    FED_OUTCOMES.length,
    fedDraft,
  ),
  monthlyLevels('KXCPI', 'CPI month over month', ['Inflation'], [-0.1, 0, 0.1, 0.2, 0.3, 0.4, 0.5]),
  monthlyLevels('KXCPIYOY', 'CPI year over year', ['Inflation'], [2.5, 2.7, 2.9, 3.1, 3.3]),
  monthlyLevels('KXPAYROLLS', 'Jobs added', ['Employment'], [0, 50_000, 100_000, 150_000, 200_000]),
]

function postsSeries(ticker: string, title: string, frequency: string, schedule: Schedule, usual: number): Series {
  const facts = {
    ticker,
    title,
    category: 'Social',
    tags: ['Posts'],
    frequency,
    source: { name: 'Truth Social', url: 'https://truthsocial.com/' },
  }
  return report(facts, schedule, BUCKETS, (index, { seed, closeMs }): EventDraft => {
    const lowest = usual + shift(seed, ticker, index, 10)
    const rules = (label: string) => `If the number of posts is ${label}, then the market resolves to Yes.`
    return {
      ticker: `${ticker}-${dayCode(closeMs)}`,
      title: `${title}?`,
      subTitle: `Until ${dateText(newYorkTime(closeMs))}`,
      isExclusive: true,
      markets: oneOf(ranges(lowest, BUCKETS, 20, ''), title, rules),
    }
  })
}

export const SOCIAL_SERIES: readonly Series[] = [
  postsSeries('KXTRUTHSOCIAL', 'Posts of the president this week', 'weekly', weekly(23), 120),
  postsSeries('KXTRUTHSOCIALD', 'Posts of the president today', 'daily', daily(23), 10),
]

export const EQUITY_SERIES: readonly Series[] = INDICES.map(([ticker, name, usual, step]) => {
  const facts = {
    ticker,
    title: `${name} above a level`,
    category: 'Financials',
    tags: ['Indices', 'Hourly'],
    frequency: 'hourly',
    source: { name: 'Google Finance', url: 'https://www.google.com/finance/' },
  }
  return report(facts, everyMs(HOUR_MS), INDEX_LEVELS, (index, { seed, closeMs }): EventDraft => {
    const middle = usual + shift(seed, ticker, index, 5) * step
    const strikes = Array.from({ length: INDEX_LEVELS }, (_, rank) =>
      Number((middle + (rank - INDEX_LEVELS / 2) * step - 0.0001).toFixed(4)),
    )
    const title = `${name} at ${clockCode(closeMs)}?`
    return {
      ticker: `${ticker}-${dayCode(closeMs)}H${clockCode(closeMs)}`,
      title,
      subTitle: `On ${dateText(newYorkTime(closeMs))}`,
      isExclusive: false,
      markets: above(
        levels(strikes, (strike) => `${strike} or above`),
        title,
        (label) => `If the ${name} is ${label} at the close, then the market resolves to Yes.`,
      ),
    }
  })
})
