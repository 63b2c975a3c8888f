import { grouped } from '../render/numbers.ts'
import { plain, shortId } from '../render/text.ts'
import { hourText } from './hours.ts'
import type { Survey, UnfinishedHour } from './survey.ts'
import type { MarketHour, Range } from './wanted-hours.ts'

const NAMED_HOURS = 3

/** Slug of a market, or its id when it has none. */
export function nameOf({ market, slug }: Pick<MarketHour, 'market'> & { readonly slug: string }): string {
  return slug === '' ? shortId(market) : plain(slug)
}

export function hoursText(count: number): string {
  return `${grouped(count)} ${count === 1 ? 'hour' : 'hours'}`
}

/** Which hours are left out, and why; one line each. */
export function leftOutLines({ notFinished, empty }: Survey, nowMs: number): string[] {
  const named = notFinished.slice(0, NAMED_HOURS).map((hour) => {
    return `Not finished yet: ${hourText(hour.hourMs)} of ${nameOf(hour)}, ${availableText(hour.availableAtMs, nowMs)}.`
  })
  const rest = notFinished.length - named.length
  return [
    ...named,
    ...(rest > 0 ? [`Not finished yet: ${hoursText(rest)} more.`] : []),
    ...(empty.length > 0 ? [`Left out because nothing was recorded: ${hoursText(empty.length)}.`] : []),
  ]
}

/** Why the download has no hour at all. */
export function nothingText({ notFinished, empty }: Survey, { fromMs, toMs }: Range, nowMs: number): string {
  const range = `${instantText(fromMs)} and ${instantText(toMs)}`
  if (notFinished.length > 0) {
    const next = firstAvailable(notFinished)
    return `Nothing to download: no finished hour between ${range}. The next one is ${availableText(next, nowMs)}.`
  }
  const reason = empty.length > 0 ? 'the hours have no rows' : 'these markets were not recorded'
  return `Nothing to download: ${reason} between ${range}. See what was recorded with: bookreel gaps MARKET`
}

/** available at 13:05 UTC (in 12 minutes) */
export function availableText(atMs: number | undefined, nowMs: number): string {
  if (atMs === undefined) return 'available when its last rows are stored; try again in a minute'
  const minutes = Math.max(0, Math.ceil((atMs - nowMs) / 60_000))
  const at = new Date(atMs).toISOString()
  const isToday = at.slice(0, 10) === new Date(nowMs).toISOString().slice(0, 10)
  const clock = isToday ? at.slice(11, 16) : at.slice(0, 16).replace('T', ' ')
  return `available at ${clock} UTC (in ${grouped(minutes)} ${minutes === 1 ? 'minute' : 'minutes'})`
}

function firstAvailable(hours: readonly UnfinishedHour[]): number | undefined {
  const known = hours.flatMap(({ availableAtMs }) => availableAtMs ?? [])
  return known.length === 0 ? undefined : Math.min(...known)
}

/** 2026-11-15T12:00:00Z */
function instantText(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
