import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { ChildProgram } from '../child-program.ts'
import type { Scene } from './scene.ts'
import type { Told } from './tally.ts'

export interface GeneratorOrder {
  readonly names: readonly string[]
  readonly scene: Scene
}

const MAIN = fileURLToPath(new URL('./generators-main.ts', import.meta.url))

/** Runs the generators in one process for the time of the scene; returns what each got. */
export async function runGenerators(
  order: GeneratorOrder,
  /** A command that runs the program given as its last arguments, such as `ip netns exec`. */
  within: readonly string[] = [],
): Promise<Record<string, Told>> {
  const [command, ...args] = [...within, process.execPath, MAIN]
  const child = spawn(command ?? process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] }) as ChildProgram
  child.stdin.end(JSON.stringify(order))
  const output = await text(child.stdout)
  if (output === '') throw new Error('the process of the generators ended without a report')
  return JSON.parse(output)
}
