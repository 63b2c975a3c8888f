import type { CreditEntry } from '@bookreel/sdk'

/** A file that was bought and can be downloaded again without paying. */
export interface HeldFile {
  readonly path: string
  readonly market: string
  readonly hour: string
  readonly credits: number
  readonly boughtAt: string
  readonly until: string
}

const HOUR_OF_MARKET = /^\/v1\/markets\/([^/]+)\/export\?hour=(.+)$/

/** Path of the file of an hour, as the list of credits has it. */
export function hourPath(market: string, hourMs: number): string {
  return `/v1/markets/${encodeURIComponent(market)}/export?hour=${new Date(hourMs).toISOString()}`
}

/** Hours of markets that are free now; a charge that was undone bought nothing. */
export function heldFiles(entries: readonly CreditEntry[], nowMs: number): HeldFile[] {
  const undone = new Set(entries.flatMap(({ refundOf }) => refundOf ?? []))
  return entries.flatMap(({ id, kind, at, credits, downloadPath: path, downloadUntil: until }) => {
    if (kind !== 'charge' || path === null || until === null || undone.has(id) || Date.parse(until) <= nowMs) return []
    const [, market, hour] = HOUR_OF_MARKET.exec(path) ?? []
    if (market === undefined || hour === undefined) return []
    return [{ path, market: decodeURIComponent(market), hour, credits: -credits, boughtAt: at, until }]
  })
}
