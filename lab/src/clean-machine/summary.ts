import type { StepResult } from './run-plan.ts'

const LAST_LINES = 25

export interface PackageCount {
  readonly step: string
  readonly packages: number
  readonly kind: 'Debian, installed' | 'Debian, unpacked for the stack' | 'npm'
}

/** Number of packages that each step installed, from its output. */
export function packagesIn(results: readonly StepResult[]): PackageCount[] {
  return results.flatMap(({ step, output }): PackageCount[] => {
    const installed = output.match(/^Setting up /gm)?.length ?? 0
    const fetched = [...output.matchAll(/ fetched: (\d+) packages/g)].reduce((sum, [, count]) => sum + Number(count), 0)
    const added = Number(output.match(/^added (\d+) packages/m)?.[1] ?? 0)
    return [
      ...(installed > 0 ? [{ step, packages: installed, kind: 'Debian, installed' } as const] : []),
      ...(fetched > 0 ? [{ step, packages: fetched, kind: 'Debian, unpacked for the stack' } as const] : []),
      ...(added > 0 ? [{ step, packages: added, kind: 'npm' } as const] : []),
    ]
  })
}

/** One line for each step, and the last output lines of failed steps. */
export function tellSteps(results: readonly StepResult[]): string[] {
  return results.flatMap(({ step, seconds, problem, output }) => {
    const line = `${problem === undefined ? 'ok    ' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s  ${step}`
    if (problem === undefined) return [line]
    const last = output.trimEnd().split('\n').slice(-LAST_LINES)
    return [line, `       ${problem}`, ...last.map((text) => `       | ${text}`)]
  })
}
