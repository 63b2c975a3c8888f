import { setTimeout as sleep } from 'node:timers/promises'
import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { holesIn, recordRange, SETTLE_MS } from '../recorded-range.ts'
import { rowsByPlan } from '../recorders/rows-by-plan.ts'
import { RecordingService } from '../recording-service.ts'
import { slotsOf } from '../venues/explain-gaps.ts'
import { gapsIn } from '../venues/recorded-gaps.ts'

/** By then the recorder has found what it can carry. */
const SETTLED_AFTER_S = 90
/** In which the service starts after the tape does, also on a busy machine. */
const STARTED_WITHIN_S = 120

export const overload = experiment({
  name: 'overload',
  summary: 'Gives a recorder more markets than it can carry, from a tape: the most important plan must stay complete.',
  options: {
    markets: { description: 'number of simulated markets', default: 4_000, atLeast: 20 },
    minutes: { description: 'recording time in minutes', default: 5, atLeast: 0.1 },
    above: { description: 'share of its time that the recorder may be busy, in %', default: 90, atLeast: 10 },
    settle: { description: 'seconds before the measurement begins', default: SETTLED_AFTER_S, atLeast: 0 },
    complete: { description: 'minimum share of slots of the most important plan, in %', default: 99.9, atLeast: 0 },
    late: { description: 'maximum p99 from slot to sample, in ms', default: 5_000, atLeast: 0 },
  },
  async run({ markets, minutes, above, settle, complete, late }, progress) {
    const settings = { CAPTURE_SHED_ABOVE: String(above / 100) }
    const tapeS = Math.ceil(STARTED_WITHIN_S + settle + minutes * 60)
    const args = ['--markets', String(markets), '--tape', String(tapeS)]
    await using service = await RecordingService.start(args, progress, { settings })
    await untilFollowing(service)
    for (let second = 0; second < settle; second++) {
      progress(`finding out what can be carried, ${second} of ${settle} s`)
      await sleep(1_000)
    }
    const range = await recordRange(minutes, (second, seconds) => progress(`recording, ${second} of ${seconds} s`))
    await service.simulator.requireTape(range.toMs)
    const shed = await service.role('capture').metricsBy('capture_plans_shed', 'plan')
    const followed = (await service.role('capture').metric('capture_markets_followed')) ?? 0
    await sleep(SETTLE_MS)
    const holes = await holesIn(service, range)
    const stored = await rowsByPlan(service, range)
    const gaps = await gapsIn(service.clickhouse, range)
    const plans = CATEGORY_PLANS.map(({ category }) => {
      const { rows = 0, lateP99Ms = 0, ids = new Set<string>() } = stored.get(category) ?? {}
      const missing = slotsOf(gaps.filter(({ market }) => ids.has(market)))
      return {
        plan: category,
        rows,
        missing,
        share: share(rows, rows + missing),
        lateP99Ms,
        isShed: shed[category] === 1,
      }
    })
    const causes = Map.groupBy(gaps, ({ cause }) => cause)
    const [first] = plans
    return {
      bounds: [
        bound('slots of the most important plan stored', first?.share ?? 0, '>=', complete, '%'),
        bound('slots without a row or a gap', holes.length, '<=', 0),
        bound('p99 from slot to sample', Math.max(0, ...plans.map(({ lateP99Ms }) => lateP99Ms)), '<=', late, 'ms'),
      ],
      series: {
        plans,
        gaps: [...causes].map(([cause, of]) => ({ cause, records: of.length, slots: slotsOf(of) })),
      },
      notes: [
        `${followed} markets followed; not recorded: ${
          Object.keys(shed)
            .filter((plan) => shed[plan] === 1)
            .join(', ') || 'nothing'
        }`,
        ...plans.map(
          (plan) => `${plan.plan}: ${plan.rows} rows, ${plan.share} % of slots${plan.isShed ? ', shed' : ''}`,
        ),
      ],
    }
  },
})

/** A busy machine takes longer to start a recorder than a short run lasts. */
async function untilFollowing(service: RecordingService): Promise<void> {
  for (let second = 0; second < STARTED_WITHIN_S; second++) {
    if (((await service.role('capture').metric('capture_markets_followed')) ?? 0) > 0) return
    await sleep(1_000)
  }
  throw new Error(`the recorder followed no market within ${STARTED_WITHIN_S} s; see its log in ${service.folder}`)
}

function share(part: number, whole: number): number {
  return Math.round((100_000 * part) / Math.max(1, whole)) / 1_000
}
