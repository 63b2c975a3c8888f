import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Tape } from './tape.ts'
import { type PartOrder, type TapedWorld, writePart } from './write-part.ts'

const TRIAL_MS = 2_000
/** Other programs share the cores. */
const TIMES_AS_LONG = 1.5

/** Writes the frames of the first seconds of a world, with one thread for each core. */
export async function recordTape(
  world: TapedWorld,
  seconds: number,
  partCount = availableParallelism(),
): Promise<Tape> {
  const endMs = world.startMs + seconds * 1_000
  const orders = Array.from({ length: partCount }, (_, part) => ({ world, endMs, part, partCount }))
  const parts = await Promise.all(orders.map(partInThread))
  return new Tape({ startMs: world.startMs, endMs }, parts)
}

async function partInThread(order: PartOrder): Promise<Uint8Array[]> {
  const blocks: Uint8Array[] = []
  const worker = new Worker(new URL('./write-part-main.ts', import.meta.url), { workerData: order })
  worker.on('message', (block: Uint8Array) => blocks.push(block))
  await once(worker, 'exit')
  return blocks
}

/** Start of a world whose tape is complete by then, if it is written from now on. */
export function startForTape(world: Omit<TapedWorld, 'startMs'>, seconds: number): number {
  const fromMs = performance.now()
  const startMs = Date.now()
  writePart({ world: { ...world, startMs }, endMs: startMs + TRIAL_MS, part: 0, partCount: 1 }, () => {})
  const eachSecondMs = (performance.now() - fromMs) / (TRIAL_MS / 1_000)
  return startMs + Math.ceil((TIMES_AS_LONG * eachSecondMs * seconds) / availableParallelism())
}
