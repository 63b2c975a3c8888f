import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const LAST_LINES = 30

interface HostCommandOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly onLine?: (line: string) => void
  readonly signal?: AbortSignal
}

/** Runs a program of this machine and returns its output; throws with the last lines when it fails. */
export function runOnHost(
  program: string,
  args: readonly string[],
  { onLine, ...options }: HostCommandOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    const lines: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        onLine?.(line)
      })
    }
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(lines.join('\n'))
      else reject(new Error(`${program} ended with ${signal ?? code}:\n${lines.slice(-LAST_LINES).join('\n')}`))
    })
  })
}
