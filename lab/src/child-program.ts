import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { environmentWith } from '@bookreel/stack/environment'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'

export type ChildProgram = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable }

/** Starts a Node program as a child process. It ends when its IPC channel closes, in whatever way this process ends. */
export function startProgram(
  main: string,
  args: readonly string[],
  {
    env,
    stderr = 'inherit',
    preload,
  }: {
    env?: SpawnOptions['env']
    stderr?: 'inherit' | 'pipe' /** A module imported before the program. */
    preload?: string
  } = {},
): ChildProgram {
  const stdio: SpawnOptions['stdio'] = ['pipe', 'pipe', stderr, 'ipc']
  const node = preload === undefined ? [] : ['--import', preload]
  return spawn(process.execPath, [...node, main, ...args], {
    env: env ?? environmentWith(COMPILE_CACHE),
    stdio,
  }) as ChildProgram
}

export function hasEnded({ exitCode, signalCode }: ChildProgram): boolean {
  return exitCode !== null || signalCode !== null
}

/** Stops it with SIGTERM. */
export async function endProgram(child: ChildProgram): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
