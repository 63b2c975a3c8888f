import type { Market, VenueEvent } from '../world/market.ts'
import type { World } from '../world/world.ts'
import { shownRecurrence } from './gamma-objects.ts'

/** Raw query parameters; a repeated one is an array. */
export type Query = Record<string, string | string[] | undefined>

export class BadQuery extends Error {
  readonly status: number
  constructor(message: string, status = 422) {
    super(message)
    this.status = status
  }
}

export function valuesOf(query: Query, name: string): string[] {
  const value = query[name]
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

export function firstOf(query: Query, name: string): string | undefined {
  return valuesOf(query, name)[0]
}

export function wholeNumber(query: Query, name: string): number | undefined {
  const text = firstOf(query, name)
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw new BadQuery(`invalid integer for ${name}`)
  return Number(text)
}

function moment(query: Query, name: string): number | undefined {
  const text = firstOf(query, name)
  if (text === undefined) return undefined
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw new BadQuery(`invalid date for ${name}`)
  return atMs
}

function within(query: Query, name: string, atMs: number | undefined): boolean {
  const min = moment(query, `${name}_min`)
  const max = moment(query, `${name}_max`)
  if (min === undefined && max === undefined) return true
  return atMs !== undefined && (min === undefined || atMs >= min) && (max === undefined || atMs <= max)
}

const WEATHER_TAG = 84
const SERIES_RECURRENCES = ['daily', 'weekly', 'monthly', 'annual', 'hourly']

/** The list of series knows fewer recurrences than the series themselves. */
export function seriesRecurrence(query: Query): string | undefined {
  const recurrence = firstOf(query, 'recurrence')
  if (recurrence !== undefined && !SERIES_RECURRENCES.includes(recurrence)) throw new BadQuery('invalid recurrence')
  return recurrence
}

function isClosedEvent(event: VenueEvent): boolean {
  return event.markets.length > 0 && event.markets.every((market) => market.isShownClosed)
}

export function eventMatches(event: VenueEvent, query: Query, world: World): boolean {
  const seriesIds = valuesOf(query, 'series_id')
  const seriesSlugs = valuesOf(query, 'series_slug')
  const tagId = world.broken.has('polymarket.list-filters') ? undefined : wholeNumber(query, 'tag_id')
  const tagSlug = firstOf(query, 'tag_slug')
  const slugs = valuesOf(query, 'slug')
  const recurrence = firstOf(query, 'recurrence')
  if (world.broken.has('polymarket.lists-filled') && tagId === WEATHER_TAG) return false
  return (
    isClosedEvent(event) === (firstOf(query, 'closed') === 'true') &&
    firstOf(query, 'archived') !== 'true' &&
    firstOf(query, 'active') !== 'false' &&
    (seriesIds.length === 0 || (event.series !== undefined && seriesIds.includes(event.series.id))) &&
    (seriesSlugs.length === 0 || (event.series !== undefined && seriesSlugs.includes(event.series.slug))) &&
    (tagId === undefined || event.tags.some(({ id }) => id === String(tagId))) &&
    (tagSlug === undefined || event.tags.some(({ slug }) => slug === tagSlug)) &&
    (slugs.length === 0 || slugs.includes(event.slug)) &&
    (recurrence === undefined || (event.series !== undefined && shownRecurrence(event.series, world) === recurrence)) &&
    event.isHidden !== true &&
    within(query, 'start_date', event.createdAtMs) &&
    within(query, 'end_date', event.endMs) &&
    within(query, 'start_time', event.startMs)
  )
}

export function marketMatches(market: Market, query: Query): boolean {
  const tokens = valuesOf(query, 'clob_token_ids')
  const conditions = valuesOf(query, 'condition_ids')
  const slugs = valuesOf(query, 'slug')
  const tagId = wholeNumber(query, 'tag_id')
  return (
    market.event.isHidden !== true &&
    market.isShownClosed === (firstOf(query, 'closed') === 'true') &&
    firstOf(query, 'archived') !== 'true' &&
    firstOf(query, 'active') !== 'false' &&
    (tokens.length === 0 || market.tokenIds.some((token) => tokens.includes(token))) &&
    (conditions.length === 0 || conditions.includes(market.conditionId)) &&
    (slugs.length === 0 || slugs.includes(market.draft.slug)) &&
    (tagId === undefined || market.event.tags.some(({ id }) => id === String(tagId))) &&
    within(query, 'start_date', market.listedAtMs) &&
    within(query, 'end_date', market.event.endMs)
  )
}
