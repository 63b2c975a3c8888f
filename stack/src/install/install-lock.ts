import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { boundCommand } from '../bound-command.ts'

/** Runs `work` under a file lock, which is released when the process ends in whatever way. */
export async function withLock<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  const { file, args } = boundCommand({
    program: { path: 'flock' },
    args: [lockFile, 'sh', '-c', 'echo held; exec cat'],
  })
  const holder = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(holder, 'exit')
  await Promise.race([
    once(holder.stdout, 'data'),
    ended.then(() => {
      throw new Error(`Cannot lock ${lockFile}. Check that the folder is writable.`)
    }),
  ])
  try {
    return await work()
  } finally {
    holder.stdin.end()
    await ended
  }
}
