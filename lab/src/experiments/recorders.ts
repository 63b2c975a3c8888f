import { setTimeout as sleep } from 'node:timers/promises'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { hundredths } from '../hundredths.ts'
import { holesIn, SETTLE_MS } from '../recorded-range.ts'
import { acknowledgedTwice } from '../recorders/acknowledged-twice.ts'
import { gapsByCause, lostElsewhere } from '../recorders/gaps-of-kills.ts'
import { SHARDS } from '../recorders/kill.ts'
import { RecorderGroup } from '../recorders/recorder-group.ts'
import { RecordingService } from '../recording-service.ts'

/** A gap of a kill may begin two seconds before it. */
const APART_MS = 5_000
/** Slots that no recorder was there for. Others depend on the venue, or on how busy the machine is. */
const OF_HANDOVERS = ['capturer_down', 'bus_unavailable']

export const recorders = experiment({
  name: 'recorders',
  summary:
    'Recorders join, leave and are killed under load: no slot may be missing with a standby, and the CPU of all together must not grow.',
  options: {
    markets: { description: 'number of simulated markets', default: 400, atLeast: 20 },
    joins: { description: 'times that a recorder joins and leaves', default: 10, atLeast: 0 },
    kills: { description: 'times that a recorder is killed', default: 10, atLeast: 0 },
    standbys: { description: 'standbys of each shard', default: 1, atLeast: 0 },
    tape: { description: 'seconds of a tape for many markets; 0 simulates them live', default: 0, atLeast: 0 },
    cpuSeconds: { description: 'seconds of each CPU measurement with 1, 2 and 4 recorders', default: 30, atLeast: 0 },
    growth: { description: 'maximum growth of CPU from 1 to 4 recorders, in %', default: 15, atLeast: 0 },
    spread: { description: 'maximum difference from an equal share of markets, in %', default: 20, atLeast: 0 },
    gapMs: { description: 'longest gap of a kill without a standby, in ms', default: 8_000, atLeast: 0 },
  },
  async run({ markets, joins, kills, standbys, tape, cpuSeconds, growth, spread, gapMs }, progress) {
    const settings = { CAPTURE_STANDBYS: String(standbys), POLYMARKET_SHARDS: String(SHARDS) }
    const world = ['--markets', String(markets), ...(tape > 0 ? ['--tape', String(tape)] : [])]
    await using service = await RecordingService.start(world, progress, { settings })
    await service.untilTrusted(progress)
    await using group = new RecorderGroup(service, { standbys })
    await group.add()
    progress('waiting until two recorders share the shards')
    await group.untilSettled()
    const fromMs = Date.now()
    for (let count = 0; count < joins; count++) {
      progress(`join ${count + 1} of ${joins}`)
      await group.add()
      await group.untilSettled()
      progress(`leave ${count + 1} of ${joins}`)
      await group.endNewest()
      await group.untilSettled()
    }
    const joinedMs = Date.now()
    await sleep(APART_MS)
    for (let count = 0; count < kills; count++) {
      progress(`kill ${count + 1} of ${kills}`)
      await group.killNewest()
      await group.add()
      await group.untilSettled()
    }
    const toMs = Date.now() - 1_000
    await sleep(SETTLE_MS)
    const holes = await holesIn(service, { fromMs, toMs })
    const ofJoins = await gapsByCause(service, { fromMs, toMs: joinedMs })
    const ofKills = await gapsByCause(service, { fromMs: joinedMs, toMs })
    const elsewhere = await lostElsewhere(service, group.kills)
    const cpu = standbys > 0 || cpuSeconds === 0 ? [] : await group.measureCpu([1, 2, 4], cpuSeconds, progress)
    if (tape > 0) await service.simulator.requireTape(Date.now())
    const [one, , four] = cpu
    return {
      bounds: [
        bound('slots without a row or a gap', holes.length, '<=', 0),
        bound('rows stored twice', await acknowledgedTwice(service.emissionLog), '<=', 0),
        bound('slots lost when recorders joined and left', lost(ofJoins), '<=', 0),
        ...(standbys > 0
          ? [bound('slots lost when a recorder was killed', lost(ofKills), '<=', 0)]
          : [
              bound('longest gap of a kill', longest(ofKills), '<=', gapMs, 'ms'),
              bound('slots lost in shards of other recorders', elsewhere, '<=', 0),
            ]),
        ...(one !== undefined && four !== undefined
          ? [
              bound(
                'growth of CPU from 1 to 4 recorders',
                hundredths(100 * (four.cpu / one.cpu - 1)),
                '<=',
                growth,
                '%',
              ),
              bound(
                'largest difference from an equal share',
                hundredths(Math.max(...cpu.map((each) => each.spread))),
                '<=',
                spread,
                '%',
              ),
            ]
          : []),
      ],
      series: { ofJoins, ofKills, takeOvers: group.takeOverMs, cpu, holes: holes.slice(0, 20) },
      notes: [
        `missing while joining: ${told(ofJoins)}; while killing: ${told(ofKills)}`,
        `shards taken over after a kill, ms: ${group.takeOverMs.join(', ')}`,
        ...cpu.map(
          ({ recorders: count, cpu: cores, markets: each }) =>
            `${count} recorders: ${cores} cores, markets ${each.join(', ')}`,
        ),
      ],
    }
  },
})

type Gaps = Awaited<ReturnType<typeof gapsByCause>>

function lost(gaps: Gaps): number {
  return gaps.filter(({ cause }) => OF_HANDOVERS.includes(cause)).reduce((sum, { slots }) => sum + slots, 0)
}

function longest(gaps: Gaps): number {
  const ofHandovers = gaps.filter(({ cause }) => OF_HANDOVERS.includes(cause))
  return Math.max(0, ...ofHandovers.map(({ longestMs }) => longestMs))
}

function told(gaps: Gaps): string {
  return gaps.map(({ cause, slots }) => `${cause} ${slots}`).join(', ') || 'nothing'
}
