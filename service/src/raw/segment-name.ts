import { randomBytes } from 'node:crypto'

/** What the name of a segment tells. Names sort by the time of the first record. */
export interface SegmentName {
  /** One process of a recorder; a new one after each start. */
  readonly recorder: string
  /** Counts the segments of the recorder from 1. */
  readonly number: number
  readonly startMs: number
  /** Undefined while the segment is being written, and after a crash. */
  readonly endMs: number | undefined
}

const NAME = /^\d{4}-\d\d-\d\d\/\d\d\/(\d{8}T\d{9}Z)_(open|\d{8}T\d{9}Z)_([\w.-]+?)_(\d{6,})\.brz$/

/** `host:pid` with a suffix that no other process has. */
export function recorderName(owner: string): string {
  return `${owner.replaceAll(/[^A-Za-z0-9.-]/g, '-')}-${randomBytes(3).toString('hex')}`
}

/** `2027-01-31/05/20270131T050000000Z_20270131T050500000Z_host-17-a1b2c3_000001.brz` */
export function segmentKey({ recorder, number, startMs, endMs }: SegmentName): string {
  const start = new Date(Math.floor(startMs)).toISOString()
  const end = endMs === undefined ? 'open' : compact(new Date(Math.ceil(endMs)).toISOString())
  return `${start.slice(0, 10)}/${start.slice(11, 13)}/${compact(start)}_${end}_${recorder}_${String(number).padStart(6, '0')}.brz`
}

/** Undefined for a file that is not a segment. */
export function readSegmentKey(key: string): SegmentName | undefined {
  const [, start, end, recorder, number] = NAME.exec(key) ?? []
  if (start === undefined || end === undefined || recorder === undefined) return undefined
  return { recorder, number: Number(number), startMs: timeOf(start), endMs: end === 'open' ? undefined : timeOf(end) }
}

function compact(iso: string): string {
  return iso.replaceAll(/[-:.]/g, '')
}

function timeOf(text: string): number {
  const [, year, month, day, hour, minute, second, ms] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(text)?.map(Number) ?? []
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, ms)
}
