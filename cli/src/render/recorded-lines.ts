import type { GapReport } from '@bookreel/sdk'
import { grouped } from './numbers.ts'
import { percent } from './percent.ts'

const REASONS = { before_recording: 'before the first recorded slot', after_recording: 'after the last recorded slot' }

/** What was recorded of the requested range, how complete that is, and what lies outside of it. */
export function recordedLines(report: GapReport): string[] {
  const { recorded_from: first, recorded_to: last, requested_from: from, requested_to: to } = report
  if (first === null || last === null) return ['Nothing of this market was recorded yet.']
  if (from === null || to === null) return [coverageText(report)]
  const outside = report.unrecorded.map(
    (part) => `Not recorded: ${rangeText(part.from, part.to)}, ${REASONS[part.reason]} (${grouped(part.slots)} slots).`,
  )
  if (report.from === null || report.to === null) {
    return [
      `Nothing was recorded in the requested range ${rangeText(from, to)}; the market was recorded ${rangeText(first, last)}.`,
      ...outside,
    ]
  }
  if (outside.length === 0) return [`Recorded ${rangeText(report.from, report.to)}: ${coverageText(report)}`]
  return [
    `Recorded ${rangeText(report.from, report.to)} of the requested ${rangeText(from, to)}: ${percent(report.recorded_share ?? 0, 2)} % of the range was recorded.`,
    `Within the recorded range: ${coverageText(report)}`,
    ...outside,
  ]
}

function coverageText({ coverage, gap_count }: GapReport): string {
  const { share, stored_slots, expected_slots } = coverage
  const gaps = `${grouped(gap_count)} ${gap_count === 1 ? 'gap' : 'gaps'}`
  return `${percent(share ?? 0, 4)} % complete, ${grouped(stored_slots)} of ${grouped(expected_slots)} slots, ${gaps}.`
}

/** 2026-11-15 12:00:00–13:00:00 UTC; milliseconds only where they are not 0. */
function rangeText(from: string, to: string): string {
  const [start, end] = [momentText(from), momentText(to)]
  const [day = '', clock = ''] = end.split(' ')
  return `${start}–${start.startsWith(day) ? clock : end} UTC`
}

function momentText(at: string): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/(\.000)?Z$/, '')
}
