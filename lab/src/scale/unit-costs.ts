import { type Activity, CHANGES_PER_SECOND } from '@bookreel/simulator/world/market'
import type { RecordedLoad } from './recorded-load.ts'
import type { Cost, ServingCosts } from './serving-costs.ts'
import { type Line, lineThrough, solve } from './solve.ts'

/** The same world in two sizes, and a quiet one, which has as many rows but few frames. */
export interface Loads {
  readonly small: RecordedLoad
  readonly large: RecordedLoad
  readonly quiet: RecordedLoad
}

/** CPU in seconds, memory in MB. */
export interface UnitCosts {
  readonly recorder: { readonly fixedCores: number; readonly rowS: number; readonly frameS: number }
  readonly rowsPerMarketSecond: number
  readonly framesPerChange: number
  readonly framesPerMarketSecond: number
  readonly busRow: Cost
  readonly archivedRow: Cost
  readonly hotRow: Cost
  readonly serving: ServingCosts
  readonly memory: Readonly<Record<'capture' | 'gateway' | 'api', Line>>
  readonly receivedBytesPerFrame: number
}

const HOUR_S = 3_600
/** Of the usual mix: 7.5 % hot, 17.5 % medium, 75 % cold. */
const USUAL_CHANGES =
  0.075 * CHANGES_PER_SECOND.hot + 0.175 * CHANGES_PER_SECOND.medium + 0.75 * CHANGES_PER_SECOND.cold

export function unitCosts(loads: Loads, serving: ServingCosts): UnitCosts {
  const { small, large } = loads
  const recorder = recorderCosts(loads)
  const perRow = (...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + (large.cpuPerSecond[name] ?? 0), 0) / large.rowsPerSecond
  const count = large.bus.rows
  const memoryOf = (name: string): Line =>
    small === large
      ? { fixed: 0, each: (large.memoryMb[name] ?? 0) / large.markets }
      : lineThrough([small.markets, small.memoryMb[name] ?? 0], [large.markets, large.memoryMb[name] ?? 0])
  return {
    recorder,
    rowsPerMarketSecond: large.rowsPerSecond / large.markets,
    framesPerChange: large.framesPerSecond / (large.markets * USUAL_CHANGES),
    framesPerMarketSecond: large.framesPerSecond / large.markets,
    busRow: { cpuS: perRow('nats'), bytes: large.bus.bytes / large.bus.rows, count },
    archivedRow: { cpuS: perRow('archive', 'clickhouse'), bytes: large.diskBytesPerRow, count },
    hotRow: { cpuS: perRow('hot', 'redis'), bytes: 0, count },
    serving,
    memory: { capture: memoryOf('capture'), gateway: memoryOf('gateway'), api: memoryOf('api') },
    receivedBytesPerFrame: large.bytesReceivedPerSecond / large.framesPerSecond,
  }
}

/** One world alone can't be separated into parts: then rows cost everything. */
function recorderCosts({ small, large, quiet }: Loads): UnitCosts['recorder'] {
  if (small === large)
    return { fixedCores: 0, rowS: (large.cpuPerSecond.capture ?? Number.NaN) / large.rowsPerSecond, frameS: 0 }
  const equations = [small, large, quiet].map(({ rowsPerSecond, framesPerSecond, cpuPerSecond }) => [
    1,
    rowsPerSecond,
    framesPerSecond,
    cpuPerSecond.capture ?? Number.NaN,
  ])
  const [fixedCores = Number.NaN, rowS = Number.NaN, frameS = Number.NaN] = solve(equations)
  return { fixedCores: Math.max(0, fixedCores), rowS: Math.max(0, rowS), frameS: Math.max(0, frameS) }
}

/** CPU seconds of the recorder for one market, one hour. */
export function marketHourS({ recorder, rowsPerMarketSecond, framesPerChange }: UnitCosts, activity: Activity): number {
  const framesPerSecond = CHANGES_PER_SECOND[activity] * framesPerChange
  return HOUR_S * (rowsPerMarketSecond * recorder.rowS + framesPerSecond * recorder.frameS)
}

/** CPU seconds of a row on its whole way: sampled, published, archived and kept in Redis. */
export function wholeRowS({ recorder, busRow, archivedRow, hotRow }: UnitCosts): number {
  return recorder.rowS + busRow.cpuS + archivedRow.cpuS + hotRow.cpuS
}

/** CPU of the recorder for one market with a larger world, as a multiple of that with a smaller one. */
export function growth({ small, large }: Loads): number {
  const each = ({ cpuPerSecond, markets }: RecordedLoad): number => (cpuPerSecond.capture ?? Number.NaN) / markets
  return each(large) / each(small)
}
