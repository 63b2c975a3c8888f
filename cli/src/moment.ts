import { InvalidArgumentError } from 'commander'
import { WrongUse } from './exit-codes.ts'

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** Smaller numbers are epoch seconds, larger ones epoch milliseconds. */
const MIN_EPOCH_MS = 100_000_000_000

/** `2026-11-15T12:00:00Z`, `2026-11-15` (UTC), epoch seconds or milliseconds, `now`, or how long ago: `90s`, `15m`, `2h`, `3d`. */
export function readMoment(text: string, nowMs: number): number | undefined {
  if (text === 'now') return nowMs
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? []
  if (count !== undefined) return Math.round(nowMs - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS])
  if (/^\d{9,14}$/.test(text)) return Number(text) < MIN_EPOCH_MS ? Number(text) * 1_000 : Number(text)
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined
  const hasZone = !text.includes('T') || /(Z|[+-]\d{2}:?\d{2})$/i.test(text)
  const atMs = Date.parse(hasZone ? text : `${text}Z`)
  return Number.isNaN(atMs) ? undefined : atMs
}

/** Argument parser for commander. */
export function moment(text: string): number {
  const atMs = readMoment(text, Date.now())
  if (atMs !== undefined) return atMs
  throw new InvalidArgumentError('Must be a time such as 2026-11-15T12:00:00Z, or how long ago: 90s, 15m, 2h, 3d, now.')
}

/** Throws when both times are given and the range is empty. */
export function requireRange(from: number | undefined, to: number | undefined, names = ['--from', '--to']): void {
  if (from === undefined || to === undefined || from < to) return
  const [first, last] = [from, to].map((atMs) => new Date(atMs).toISOString())
  throw new WrongUse(`${names.join(' must be before ')}, but the range is ${first} to ${last}.`)
}

export const MOMENT_HELP =
  'Times: 2026-11-15T12:00:00Z, 2026-11-15, epoch seconds or ms, now, or how long ago: 90s, 15m, 2h, 3d.'
