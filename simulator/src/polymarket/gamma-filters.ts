import type { Market, VenueEvent } from '../world/market.ts'

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

function isClosedEvent(event: VenueEvent): boolean {
  return event.markets.length > 0 && event.markets.every((market) => market.phase === 'resolved')
}

export function eventMatches(event: VenueEvent, query: Query): boolean {
  const seriesIds = valuesOf(query, 'series_id')
  const seriesSlugs = valuesOf(query, 'series_slug')
  const tagId = wholeNumber(query, 'tag_id')
  const tagSlug = firstOf(query, 'tag_slug')
  const slugs = valuesOf(query, 'slug')
  const recurrence = firstOf(query, 'recurrence')
  return (
    isClosedEvent(event) === (firstOf(query, 'closed') === 'true') &&
    firstOf(query, 'archived') !== 'true' &&
    firstOf(query, 'active') !== 'false' &&
    (seriesIds.length === 0 || (event.series !== undefined && seriesIds.includes(event.series.id))) &&
    (seriesSlugs.length === 0 || (event.series !== undefined && seriesSlugs.includes(event.series.slug))) &&
    (tagId === undefined || event.tags.some(({ id }) => id === String(tagId))) &&
    (tagSlug === undefined || event.tags.some(({ slug }) => slug === tagSlug)) &&
    (slugs.length === 0 || slugs.includes(event.slug)) &&
    (recurrence === undefined || event.series?.recurrence === recurrence) &&
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
    (market.phase === 'resolved') === (firstOf(query, 'closed') === 'true') &&
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
