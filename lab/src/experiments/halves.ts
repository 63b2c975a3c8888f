import { setTimeout as sleep } from 'node:timers/promises'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { hundredths } from '../hundredths.ts'
import { holesIn, type Range, recordRange, SETTLE_MS } from '../recorded-range.ts'
import { SHARDS } from '../recorders/kill.ts'
import { RecorderGroup } from '../recorders/recorder-group.ts'
import { rowsByPlan } from '../recorders/rows-by-plan.ts'
import { RecordingService } from '../recording-service.ts'

/** In which the service starts after the tape does, and the second recorder joins. */
const STARTED_WITHIN_S = 120

export const halves = experiment({
  name: 'halves',
  summary: 'Gives two recorders half of the time that one had: together they must carry what the one carried.',
  options: {
    markets: { description: 'number of simulated markets', default: 1_200, atLeast: 20 },
    minutes: { description: 'recording time of each part in minutes', default: 1, atLeast: 0.1 },
    above: { description: 'share of its time that the one recorder may be busy, in %', default: 60, atLeast: 10 },
    settle: { description: 'seconds before each part', default: 120, atLeast: 0 },
    share: { description: 'minimum rows of the two, compared with the one, in %', default: 99, atLeast: 0 },
  },
  async run({ markets, minutes, above, settle, share }, progress) {
    const settings = {
      CAPTURE_SHED_ABOVE: String(above / 100),
      CAPTURE_STANDBYS: '0',
      POLYMARKET_SHARDS: String(SHARDS),
    }
    const tapeS = Math.ceil(STARTED_WITHIN_S + 2 * (settle + minutes * 60))
    const args = ['--markets', String(markets), '--tape', String(tapeS)]
    await using service = await RecordingService.start(args, progress, { settings })
    const one = await carried({ what: 'one recorder', settle, minutes }, progress)
    await service.endRole('capture')
    service.set({ CAPTURE_SHED_ABOVE: String(above / 200) })
    await service.startRole('capture')
    await using group = new RecorderGroup(service, { standbys: 0 })
    await group.add()
    await group.untilSettled()
    const two = await carried({ what: 'two recorders', settle, minutes }, progress)
    await service.simulator.requireTape(two.toMs)
    await sleep(SETTLE_MS)
    const holes = await holesIn(service, { fromMs: one.fromMs, toMs: two.toMs })
    const [ofOne, ofTwo] = [await plansOf(service, one), await plansOf(service, two)]
    return {
      bounds: [
        bound('rows of two recorders, of those of one', hundredths((100 * sum(ofTwo)) / sum(ofOne)), '>=', share, '%'),
        bound('slots without a row or a gap', holes.length, '<=', 0),
      ],
      series: { one: ofOne, two: ofTwo, holes: holes.slice(0, 20) },
      notes: [`one recorder: ${told(ofOne)}`, `two recorders: ${told(ofTwo)}`],
    }
  },
})

interface Part {
  readonly what: string
  readonly settle: number
  readonly minutes: number
}

async function carried({ what, settle, minutes }: Part, progress: Progress): Promise<Range> {
  for (let second = 0; second < settle; second++) {
    progress(`${what}: finding out what can be carried, ${second} of ${settle} s`)
    await sleep(1_000)
  }
  return recordRange(minutes, (second, seconds) => progress(`${what}: recording, ${second} of ${seconds} s`))
}

interface PlanRows {
  readonly plan: string
  readonly rows: number
}

async function plansOf(service: RecordingService, range: Range): Promise<PlanRows[]> {
  const plans = await rowsByPlan(service, range)
  return [...plans].map(([plan, { rows = 0 }]) => ({ plan, rows }))
}

function sum(plans: readonly PlanRows[]): number {
  return plans.reduce((total, { rows }) => total + rows, 0)
}

function told(plans: readonly PlanRows[]): string {
  return plans.map(({ plan, rows }) => `${plan} ${rows}`).join(', ')
}
