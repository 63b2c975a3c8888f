import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { allGenerators } from './all-generators.ts'
import { Attack } from './attack.ts'
import type { GeneratorOrder } from './run-generators.ts'
import type { Told } from './tally.ts'

/** Runs generators in a process of their own, so that their work does not delay the measured customers. */
const { names, scene }: GeneratorOrder = JSON.parse(await text(process.stdin))
process.once('disconnect', () => process.exit(1))
// Attackers have machines of their own; here they get the CPU time that the service leaves.
setPriority(19)
const signal = AbortSignal.timeout(scene.seconds * 1_000)
const told: Record<string, Told> = {}
await Promise.all(
  allGenerators
    .filter(({ name }) => names.includes(name))
    .map(async (generator) => {
      const attack = new Attack(generator.name, scene, signal)
      await generator.run(attack)
      told[generator.name] = attack.tally.told
    }),
)
process.stdout.write(JSON.stringify(told), () => process.exit(0))
