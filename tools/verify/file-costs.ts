import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface FileCost {
  readonly file: string
  /** From the start of the file to its end. */
  readonly seconds: number
  /** CPU time of its process and of the programs that it ended; the engines of a stack are not counted. */
  readonly cpu: number
}

/** Seconds and CPU seconds by file. */
type Costs = Readonly<Record<string, readonly [seconds: number, cpu: number]>>

const BUDGET = 'tools/verify/budget.json'
const MEASURED = 'out/verify/costs.json'
const SHOWN = 12
/** A file without a budget is compared with this. */
const USUAL: readonly [number, number] = [5, 2]

export function readFileCosts(costsFile: string, seconds: readonly { file: string; seconds: number }[]): FileCost[] {
  const lines = existsSync(costsFile) ? readFileSync(costsFile, 'utf8').split('\n').filter(Boolean) : []
  const cpu = new Map(lines.map((line) => JSON.parse(line) as [file: string, cpu: number]))
  return seconds.map((each) => ({ ...each, cpu: cpu.get(each.file) ?? 0 }))
}

/** Prints the files furthest above their budget: a report, because machines differ. */
export function reportCosts(costs: readonly FileCost[]): void {
  const budget: Costs = JSON.parse(readFileSync(BUDGET, 'utf8'))
  const above = costs
    .map((cost) => ({ ...cost, over: cost.cpu - (budget[cost.file] ?? USUAL)[1], budget: budget[cost.file] ?? USUAL }))
    .filter(({ over }) => over > 0)
    .toSorted((one, other) => other.over - one.over)
  console.log(`\n${above.length} of ${costs.length} files needed more CPU time than their budget`)
  for (const { file, seconds, cpu, budget: of } of above.slice(0, SHOWN))
    console.log(`${cpu.toFixed(1).padStart(7)} s of CPU time (budget ${of[1]}), ${seconds.toFixed(0)} s long  ${file}`)
}

/** Keeps what was measured; with `asBudget` later runs are compared with it. */
export function keepCosts(costs: readonly FileCost[], asBudget: boolean): void {
  const ordered = costs.toSorted((one, other) => one.file.localeCompare(other.file))
  write(MEASURED, ordered, () => true)
  // Small files share one budget, so that the list stays short.
  if (asBudget) write(BUDGET, ordered, ({ cpu }) => cpu > USUAL[1])
}

function write(to: string, costs: readonly FileCost[], isKept: (cost: FileCost) => boolean): void {
  mkdirSync(dirname(to), { recursive: true })
  const lines = costs
    .filter(isKept)
    .map(({ file, seconds, cpu }) => `  ${JSON.stringify(file)}: [${Math.ceil(seconds)}, ${Math.ceil(cpu)}]`)
  writeFileSync(to, `{\n${lines.join(',\n')}\n}\n`)
}
