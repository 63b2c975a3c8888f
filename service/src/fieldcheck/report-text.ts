import type { Finding, Verdict } from './assumption.ts'
import type { FieldReport } from './run-fieldcheck.ts'

const ORDER: readonly Verdict[] = ['contradicted', 'not seen', 'confirmed']
const VERDICT_WIDTH = 14
const LONG_PAUSE_MS = 1_000

/** The report as a table for people: what is contradicted comes first. */
export function reportText(report: FieldReport): string {
  const { findings, problems } = report
  const width = Math.max(...findings.map(({ id }) => id.length)) + 2
  const rows = ORDER.flatMap((wanted) => findings.filter(({ verdict }) => verdict === wanted)).flatMap((finding) =>
    linesOf(finding, width),
  )
  return [
    `Checked ${report.venue} at ${report.addresses.join(', ')} for ${report.seconds} s: ${report.frames} frames, ${report.restAnswers} REST answers.`,
    'An asterisk marks an assumption that the recorder relies on.',
    '',
    ...rows,
    '',
    ...(report.longestPauseMs > LONG_PAUSE_MS
      ? [
          `This machine was too busy to read frames for up to ${report.longestPauseMs} ms. Contradictions may be caused by that; run the check again on an idle machine.`,
        ]
      : []),
    ...problems.map((problem) => `A part of the check failed: ${problem}`),
    summaryOf(report),
  ].join('\n')
}

function linesOf({ id, verdict, isRelied, says, evidence, example }: Finding, width: number): string[] {
  const indent = ' '.repeat(VERDICT_WIDTH + width + 2)
  return [
    `${verdict.padEnd(VERDICT_WIDTH)}${isRelied ? '*' : ' '} ${id.padEnd(width)}${says}`,
    `${indent}${evidence}`,
    ...(verdict === 'contradicted' && example !== undefined ? [`${indent}example: ${example}`] : []),
  ]
}

function summaryOf({ findings, isSound, problems }: FieldReport): string {
  const count = (wanted: Verdict): number => findings.filter(({ verdict }) => verdict === wanted).length
  const counts = `${count('confirmed')} confirmed, ${count('contradicted')} contradicted, ${count('not seen')} not seen.`
  if (isSound) return `${counts} The recorder can rely on what was seen.`
  const broken = findings.filter(({ verdict, isRelied }) => isRelied && verdict === 'contradicted').map(({ id }) => id)
  if (broken.length === 0) return `${counts} ${problems.length} parts of the check failed; run it again.`
  return `${counts} The recorder relies on these and they are wrong: ${broken.join(', ')}.`
}
