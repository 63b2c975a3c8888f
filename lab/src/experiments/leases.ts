import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { INVARIANTS, type Invariant, judgeScene } from '../leases/judge-scene.ts'
import { playSchedule } from '../leases/schedule.ts'

export const leases = experiment({
  name: 'leases',
  summary:
    'Plays random schedules of recorders that join, leave, die, stop and lose NATS, with virtual time: who records which shard, and what is lost.',
  options: {
    schedules: { description: 'number of random schedules', default: 1_000, atLeast: 1 },
    seed: { description: 'seed of the first schedule; the others follow', default: 1, atLeast: 0 },
  },
  async run({ schedules, seed }, progress) {
    const violated = new Map<Invariant, number>()
    const examples: string[] = []
    let rows = 0
    for (let number = 0; number < schedules; number++) {
      progress(`${number} of ${schedules} schedules`)
      const scene = await playSchedule(seed + number)
      rows += scene.bus.accepted.reduce((sum, { batch }) => sum + batch.index().length, 0)
      for (const [invariant, example] of judgeScene(scene)) {
        violated.set(invariant, (violated.get(invariant) ?? 0) + 1)
        if (examples.length < 10)
          examples.push(`seed ${scene.seed} (${scene.kind}): ${invariant}: ${example}; ${scene.troubles.join(', ')}`)
      }
    }
    return {
      bounds: [
        bound('rows stored', rows, '>=', schedules),
        ...Object.entries(INVARIANTS).map(([name, text]) =>
          bound(`schedules against "${text}"`, violated.get(name as Invariant) ?? 0, '<=', 0),
        ),
      ],
      series: { violated: [...violated], examples },
      notes: examples,
    }
  },
})
