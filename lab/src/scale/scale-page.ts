import { cpus, totalmem } from 'node:os'
import type { Activity } from '@bookreel/simulator/world/market'
import type { RecordedLoad } from './recorded-load.ts'
import type { Cost } from './serving-costs.ts'
import { growth, type Loads, marketHourS, type UnitCosts, wholeRowS } from './unit-costs.ts'
import {
  BUSY_SHARE,
  CLIENTS_PER_GATEWAY,
  ENGINE_GB,
  FRAMES_PER_CLIENT_SECOND,
  INSTALLATIONS,
  type Installation,
  needsOf,
  REQUESTS_PER_API,
} from './worked-examples.ts'

export interface Measured {
  readonly loads: Loads
  readonly costs: UnitCosts
  readonly seconds: number
  readonly clickhouseVersion: string
}

const TOO_SMALL = 'too small to be told from noise'
const ACTIVITIES: readonly Activity[] = ['hot', 'medium', 'cold']

/** The page docs/scale.md. */
export function scalePage({ loads, costs, seconds, clickhouseVersion }: Measured): string {
  const { recorder, serving, memory } = costs
  return `# Scale

What each unit of work costs, and what installations of three sizes need. \`npm run lab -- scale\` measures the units and writes this page.

- **measured**: read from the processes during the run.
- **fitted**: solved from three measured loads (below).
- **extrapolated**: computed from measured and fitted figures. Nothing of that size was run.

Measured on ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB of memory, Node ${process.versions.node}, ClickHouse ${clickhouseVersion}, with simulated venues, ${seconds} s for each load. Other programs may have used the same cores; CPU time counts only our processes, but it grows when cores are shared.

## Loads

${table(
  ['Load', 'Markets', 'Rows/s', 'Frames/s', 'Cores of the recorder', 'Memory of the recorder'],
  [loads.small, loads.large, loads.quiet].map((load) => [
    load.name,
    whole(load.markets),
    whole(load.rowsPerSecond),
    whole(load.framesPerSecond),
    number(load.cpuPerSecond.capture ?? Number.NaN),
    `${load.memoryMb.capture} MB`,
  ]),
)}

All figures of this table are measured. The fit: cores of a recorder = fixed + rows/s × cost of a row + frames/s × cost of a frame. Three loads give the three unknowns: ${number(recorder.fixedCores)} cores, ${micro(recorder.rowS)}, ${micro(recorder.frameS)}. With ${number(loads.large.markets / loads.small.markets)} times as many markets, a market costs ${number(growth(loads))} times as much CPU in the recorder.

## Unit costs

${table(
  ['Unit', 'CPU', 'Bytes', 'Figures are'],
  [
    ...ACTIVITIES.map((activity) => [
      `one ${activity} market followed and sampled for an hour (recorder)`,
      `${number(marketHourS(costs, activity))} s`,
      '–',
      'fitted',
    ]),
    ['one row sampled and published (recorder)', micro(recorder.rowS), '–', 'fitted'],
    [
      'one frame of the venue received and applied (recorder)',
      micro(recorder.frameS),
      bytes(costs.receivedBytesPerFrame),
      'fitted; bytes measured',
    ],
    unit('one row on the bus (NATS)', costs.busRow),
    unit('one row archived (archive, ClickHouse); bytes on disk', costs.archivedRow),
    ['one row kept in Redis (hot, Redis)', micro(costs.hotRow.cpuS), '–', 'measured'],
    ['one row on its whole way', micro(wholeRowS(costs)), '–', 'fitted and measured'],
    unit('one live book requested (API, Redis)', serving.liveBook),
    unit('one page of 100 snapshots (API, ClickHouse, PostgreSQL)', serving.historyPage),
    unit('one stream frame delivered, 10 levels a side (gateway)', serving.streamFrame),
    unit('one row replayed (gateway, ClickHouse)', serving.replayedRow),
    ['one charge (API, PostgreSQL)', micro(serving.charge.cpuS), '–', 'measured'],
    unit(`one exported hour of a market (API, ClickHouse, PostgreSQL)`, serving.exportHour),
  ],
)}

Bytes of requests and frames are egress, without headers of TCP and TLS.

${table(
  ['Memory', 'Fixed', 'Each market', 'Figures are'],
  (['capture', 'gateway', 'api'] as const).map((role) => [
    role === 'capture' ? 'recorder' : role,
    `${whole(memory[role].fixed)} MB`,
    memory[role].each > 0 ? `${number(memory[role].each * 1_000)} kB` : TOO_SMALL,
    'fitted: a line through the two sizes',
  ]),
)}

## Formulas

- rows/s = markets × ${number(costs.rowsPerMarketSecond)} (measured: the mean over the plans of the simulated markets)
- frames/s = markets × ${number(costs.framesPerMarketSecond)} (measured: 7.5 % hot, 17.5 % medium, 75 % cold)
- cores of recorders = recorders × fixed + (1 + standbys) × (rows/s × row + frames/s × frame)
- cores of the bus = rows/s × row on the bus × replicas
- cores of the archive = rows/s × row archived × copies
- cores of streams = clients × ${FRAMES_PER_CLIENT_SECOND} frames/s × stream frame
- machines = cores ÷ (cores of a machine × ${BUSY_SHARE}), rounded up
- disk per month = rows/s × 2,592,000 s × bytes on disk × copies
- egress = clients × ${FRAMES_PER_CLIENT_SECOND} frames/s × bytes of a frame + requests/s × bytes of a live book
- memory = recorders, one gateway for ${whole(CLIENTS_PER_GATEWAY)} clients, one API process for ${whole(REQUESTS_PER_API)} requests/s, and ${ENGINE_GB} GB for the engines of each copy (assumed)

## Worked examples

All results are extrapolated.

${table(['', ...INSTALLATIONS.map(({ title }) => title)], exampleRows(costs))}
`
}

function exampleRows(costs: UnitCosts): string[][] {
  const needs = INSTALLATIONS.map((wanted) => needsOf(costs, wanted))
  const given = (name: string, figureOf: (wanted: Installation) => number): string[] => [
    name,
    ...INSTALLATIONS.map((wanted) => whole(figureOf(wanted))),
  ]
  const needed = (name: string, textOf: (need: (typeof needs)[number]) => string): string[] => [
    name,
    ...needs.map(textOf),
  ]
  return [
    given('markets', ({ markets }) => markets),
    given('stream clients', ({ clients }) => clients),
    given('requests/s', ({ requestsPerSecond }) => requestsPerSecond),
    given('recorders', ({ recorders }) => recorders),
    given('standbys of each market', ({ standbys }) => standbys),
    given('replicas of the bus', ({ busReplicas }) => busReplicas),
    given('copies of the archive', ({ archiveCopies }) => archiveCopies),
    needed('rows/s', ({ rowsPerSecond }) => whole(rowsPerSecond)),
    ...(['recorders', 'bus', 'archive', 'newest rows', 'requests', 'streams'] as const).map((part) =>
      needed(`cores: ${part}`, ({ cores }) => number(cores[part])),
    ),
    needed('cores busy', ({ coresTotal }) => number(coresTotal)),
    given('cores of a machine', ({ coresEach }) => coresEach),
    needed('machines', ({ machines }) => whole(machines)),
    needed('memory', ({ memoryGb }) => `${whole(memoryGb)} GB`),
    needed('disk per month', ({ diskTbPerMonth }) => `${number(diskTbPerMonth)} TB`),
    needed('from the venues', ({ venueMbitPerSecond }) => `${whole(venueMbitPerSecond)} Mbit/s`),
    needed('on the bus', ({ busMbitPerSecond }) => `${whole(busMbitPerSecond)} Mbit/s`),
    needed('egress', ({ egressMbitPerSecond }) => `${whole(egressMbitPerSecond)} Mbit/s`),
  ]
}

function unit(name: string, cost: Cost): string[] {
  return [name, micro(cost.cpuS), bytes(cost.bytes), 'measured']
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function number(value: number): string {
  return value >= 100 ? whole(value) : String(Number(value.toPrecision(2)))
}

function micro(seconds: number): string {
  if (seconds <= 0) return TOO_SMALL
  return seconds < 0.01 ? `${number(seconds * 1e6)} µs` : `${number(seconds)} s`
}

function bytes(count: number): string {
  return count < 100 ? `${number(count)} B` : `${whole(count)} B`
}

/** For the notes of the run. */
export function loadLine({ name, markets, rowsPerSecond, framesPerSecond, cpuPerSecond }: RecordedLoad): string {
  const cores = Object.entries(cpuPerSecond).map(([process, share]) => `${process} ${number(share)}`)
  return `${name}: ${markets} markets, ${whole(rowsPerSecond)} rows/s, ${whole(framesPerSecond)} frames/s, cores: ${cores.join(', ')}`
}
