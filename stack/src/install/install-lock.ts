import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { boundCommand } from '../bound-command.ts'

/** One process at a time; the lock falls with the process that holds it, however that ends. */
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
      throw new Error(`The lock ${lockFile} cannot be taken`)
    }),
  ])
  try {
    return await work()
  } finally {
    holder.stdin.end()
    await ended
  }
}
