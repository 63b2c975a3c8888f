import type { Classification, CoinSymbol } from '../../domain/market.ts'
import { cityName, NO_CITY } from './cities.ts'
import { classifyEquities } from './classify-equities.ts'
import type { EventFacts } from './gamma.ts'

const COIN_NAMES: readonly [name: string, coin: CoinSymbol][] = [
  ['btc', 'BTC'],
  ['bitcoin', 'BTC'],
  ['eth', 'ETH'],
  ['ethereum', 'ETH'],
  ['sol', 'SOL'],
  ['solana', 'SOL'],
  ['xrp', 'XRP'],
  ['doge', 'DOGE'],
  ['dogecoin', 'DOGE'],
  ['bnb', 'BNB'],
  ['hype', 'HYPE'],
  ['hyperliquid', 'HYPE'],
  ['zec', 'ZEC'],
  ['zcash', 'ZEC'],
]
const coins = new Map(COIN_NAMES)
const COIN = COIN_NAMES.map(([name]) => name).join('|')
const MONTH = '(?:january|february|march|april|may|june|july|august|september|october|november|december)'

const SHORT_WINDOW = new RegExp(`^(${COIN})-updown-(5m|15m|4h)-\\d+$`)
/** When summer time ends one hour repeats, and the slug of its second market has a suffix. */
const HOUR_WINDOW = new RegExp(`^(${COIN})-up-or-down-${MONTH}-\\d{1,2}(?:-\\d{4})?-\\d{1,2}[ap]m-et(?:-\\w+)?$`)
const DAY_WINDOW = new RegExp(`^(${COIN})-up-or-down-on-${MONTH}-\\d{1,2}(?:-\\d{4})?$`)
const NAMED_COIN = new RegExp(`(?:^|-)(${COIN})(?:-|$)`)
const PRICE_WORDS = /(?:^|-)(?:above|below|hit|reach|price|between|dip|less-than)(?:-|$)/

const LEAGUES: readonly [league: string, slug: RegExp, names: RegExp][] = [
  ['NBA', /^nba-/, /^nba(?:-|$)/],
  ['NFL', /^nfl-/, /^nfl(?:-|$)/],
  ['EPL', /^epl-/, /^(?:epl|premier-league)(?:-|$)/],
  ['FIFA', /^(?:fifa|fifwc|fif)-/, /^fifa(?:-|$)/],
  ['IPL', /^ipl-/, /^(?:ipl|indian-premier-league)(?:-|$)/],
]
const GAME_DATE = /-\d{4}-\d{2}-\d{2}(?:-|$)/

const TEMPERATURE = new RegExp(`^(highest|lowest)-temperature-in-(.+?)-on-${MONTH}-`)
const SEASON = /(?:^|-)(?:winter|summer|spring|autumn|fall|season|hottest-year|warmest-year|this-year)(?:-|$)/
const CITY_IN_TITLE = /\bin ((?:[A-Z][\w.'’-]*)(?: [A-Z][\w.'’-]*)*)/
const NO_CITIES =
  /^(?:the|us|usa|united states|america|europe|atlantic|pacific|north america|florida|texas|california|q[1-4]|january|february|march|april|may|june|july|august|september|october|november|december)\b/i

const TWEETS = new RegExp(`^elon-musk-of-tweets-(${MONTH})-(\\d{1,2})-(${MONTH})-(\\d{1,2})(?:-\\d{4})?$`)
const MONTHS = MONTH.slice(3, -1).split('|')

/** Category, subcategory and timeframe of a market, in the words of the API filters; undefined if it is not recorded. */
export function classify(event: EventFacts, marketSlug: string): Classification | undefined {
  return (
    classifyWindow(event, marketSlug) ??
    classifyGame(event) ??
    classifyRates(event) ??
    classifyWeather(event) ??
    classifyTweets(event) ??
    classifyCoinPrice(event) ??
    classifyEquities(event, marketSlug)
  )
}

function crypto(name: string | undefined, timeframe: string): Classification | undefined {
  const coin = coins.get(name ?? '')
  return coin === undefined ? undefined : { category: 'crypto', subcategory: coin, timeframe }
}

function classifyWindow({ slug }: EventFacts, marketSlug: string): Classification | undefined {
  for (const text of [marketSlug, slug]) {
    const short = SHORT_WINDOW.exec(text)
    if (short !== null) return crypto(short[1], short[2] ?? '')
    const hour = HOUR_WINDOW.exec(text)
    if (hour !== null) return crypto(hour[1], '1h')
    const day = DAY_WINDOW.exec(text)
    if (day !== null) return crypto(day[1], '1d')
  }
  return undefined
}

function classifyCoinPrice({ slug, tagSlugs }: EventFacts): Classification | undefined {
  if (!tagSlugs.some((tag) => tag === 'crypto-prices' || tag === 'crypto') || !PRICE_WORDS.test(slug)) return undefined
  return crypto(NAMED_COIN.exec(slug)?.[1], 'hit-price')
}

/** Season futures have the league's tag too, but only a game has a date in its slug. */
function classifyGame({ slug, tagSlugs, seriesSlugs }: EventFacts): Classification | undefined {
  if (!GAME_DATE.test(slug)) return undefined
  const isGame = tagSlugs.includes('games') || tagSlugs.includes('sports')
  const league = LEAGUES.find(
    ([, form, names]) => form.test(slug) || (isGame && [...tagSlugs, ...seriesSlugs].some((name) => names.test(name))),
  )
  return league === undefined ? undefined : { category: 'sports', subcategory: league[0], timeframe: 'game' }
}

function classifyRates({ slug, tagSlugs, seriesSlugs }: EventFacts): Classification | undefined {
  const isFomc =
    /^fed-(?:decision|interest-rates?|rate)(?:-|$)/.test(slug) ||
    seriesSlugs.includes('fomc') ||
    tagSlugs.some((tag) => tag === 'fomc' || tag === 'fed-rates')
  return isFomc ? { category: 'economics', subcategory: 'FOMC', timeframe: 'rates' } : undefined
}

function classifyWeather(event: EventFacts): Classification | undefined {
  const daily = TEMPERATURE.exec(event.slug)
  if (daily !== null) {
    const timeframe = daily[1] === 'highest' ? 'daily-high' : 'daily-low'
    return { category: 'weather', subcategory: cityName(daily[2] ?? ''), timeframe }
  }
  if (!event.tagSlugs.includes('weather')) return undefined
  const timeframe = SEASON.test(event.slug) ? 'seasonal' : 'event'
  return { category: 'weather', subcategory: cityIn(event.title), timeframe }
}

function cityIn(title: string): string {
  const named = CITY_IN_TITLE.exec(title)?.[1]
  return named === undefined || NO_CITIES.test(named) ? NO_CITY : cityName(named.toLowerCase().replaceAll(' ', '-'))
}

/** The venue also has two-day markets; only weekly ones have a timeframe in the API. */
function classifyTweets({ slug }: EventFacts): Classification | undefined {
  const span = TWEETS.exec(slug)
  if (span === null) return undefined
  const dayOf = (month = '', day = ''): number => Date.UTC(2026, MONTHS.indexOf(month), Number(day)) / 86_400_000
  const days = (dayOf(span[3], span[4]) - dayOf(span[1], span[2]) + 365) % 365
  return days >= 5 && days <= 9 ? { category: 'social', subcategory: 'Elon', timeframe: 'weekly' } : undefined
}
