import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { ListeningProcess } from '../listening-process.ts'
import { type RecordedLoad, recordedLoad } from '../scale/recorded-load.ts'
import { loadLine, scalePage } from '../scale/scale-page.ts'
import { type ServingCosts, servingCosts } from '../scale/serving-costs.ts'
import { growth, unitCosts, wholeRowS } from '../scale/unit-costs.ts'
import { INSTALLATIONS, needsOf } from '../scale/worked-examples.ts'

const AMPLE_CREDITS = 50_000_000
/** The smaller world has this part of the markets. */
const SMALLER = 1 / 3
const MICRO = 1e6

export const scale = experiment({
  name: 'scale',
  summary: 'Measures the CPU, memory and bytes of each unit of work, and computes what large installations need.',
  options: {
    markets: { description: 'number of simulated markets of the largest world', default: 900, atLeast: 30 },
    worlds: { description: '3, or 1 for a short run without a fit', default: 3, atLeast: 1 },
    seconds: { description: 'seconds of each measurement', default: 30, atLeast: 1 },
    requests: { description: 'live books requested, and charges', default: 500, atLeast: 10 },
    sockets: { description: 'stream clients, as many as one account may have', default: 10, atLeast: 1 },
    slots: { description: 'recorded slots of the exported hour', default: 14_400, atLeast: 100 },
    rowUs: { description: 'maximum CPU of a row, from sample to both stores, in µs', default: 600, atLeast: 0 },
    bookUs: { description: 'maximum CPU of a live book, in µs', default: 1_500, atLeast: 0 },
    frameUs: { description: 'maximum CPU of a stream frame, in µs', default: 100, atLeast: 0 },
    growth: { description: 'maximum CPU of a market in the larger world, as a multiple', default: 1.15, atLeast: 0 },
    page: { description: 'Markdown file for the results', default: 'docs/scale.md' },
  },
  async run(settings, progress) {
    const { markets, seconds, page } = settings
    const large = await measure('large world', ['--markets', String(markets)], { seconds, serve: settings }, progress)
    if (large.serving === undefined) throw new Error('nothing was served')
    const others = settings.worlds > 1 ? await otherWorlds(markets, seconds, progress) : undefined
    const loads = { small: large.load, quiet: large.load, ...others, large: large.load }
    const costs = unitCosts(loads, large.serving)
    await mkdir(dirname(page), { recursive: true })
    await writeFile(page, scalePage({ loads, costs, seconds, clickhouseVersion: large.clickhouseVersion }))
    return {
      bounds: [
        bound('CPU of a row, from sample to both stores', wholeRowS(costs) * MICRO, '<=', settings.rowUs, 'µs'),
        bound('CPU of a live book', costs.serving.liveBook.cpuS * MICRO, '<=', settings.bookUs, 'µs'),
        bound('CPU of a stream frame', costs.serving.streamFrame.cpuS * MICRO, '<=', settings.frameUs, 'µs'),
        bound('CPU of a market, larger / smaller world', growth(loads), '<=', settings.growth),
        bound('stream frames measured', costs.serving.streamFrame.count, '>=', 1),
        bound('rows replayed', costs.serving.replayedRow.count, '>=', 1),
      ],
      series: {
        loads: Object.values(loads),
        costs: [costs],
        examples: INSTALLATIONS.map((wanted) => ({ ...wanted, ...needsOf(costs, wanted) })),
        page: [page],
      },
      notes: [...Object.values(loads).map(loadLine), `written: ${page}`],
    }
  },
})

/** A smaller world, and one of the same size in which little happens. */
async function otherWorlds(
  markets: number,
  seconds: number,
  progress: Progress,
): Promise<{ small: RecordedLoad; quiet: RecordedLoad }> {
  const fewer = String(Math.round(markets * SMALLER))
  const small = await measure('small world', ['--markets', fewer], { seconds }, progress)
  const cold = ['--hot', '0', '--medium', '0', '--cold', String(markets)]
  const quiet = await measure('quiet world', cold, { seconds }, progress)
  return { small: small.load, quiet: quiet.load }
}

interface Served {
  readonly requests: number
  readonly sockets: number
  readonly slots: number
}

/** Starts everything for one world; serving is measured only where it is asked for. */
async function measure(
  name: string,
  world: readonly string[],
  { seconds, serve }: { seconds: number; serve?: Served },
  progress: Progress,
): Promise<{ load: RecordedLoad; serving: ServingCosts | undefined; clickhouseVersion: string }> {
  await using service = await ApiService.start({ world }, progress)
  const account = await service.openAccount('enterprise', AMPLE_CREDITS)
  await using gateway = await ListeningProcess.start('gateway', service.environment, service.recording.folder)
  await gateway.untilOpen(service.client)
  const load = await recordedLoad(name, { service, gateway, seconds }, progress)
  const version = await service.recording.clickhouse.query({ query: 'SELECT version() AS v', format: 'JSONEachRow' })
  const [{ v: clickhouseVersion } = { v: 'unknown' }] = await version.json<{ v: string }>()
  const scene = serve && { ...serve, service, gateway, account, usual: load, seconds }
  return { load, serving: scene && (await servingCosts(scene, progress)), clickhouseVersion }
}
