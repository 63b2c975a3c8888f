import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const LAST_LINES = 30

interface HostCommandOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly onLine?: (line: string) => void
  readonly signal?: AbortSignal
}

/** Runs a program of this machine and returns its standard output; throws with the last lines when it fails. */
export function runOnHost(
  program: string,
  args: readonly string[],
  { onLine, ...options }: HostCommandOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'] })
    const lines: string[] = []
    let output = ''
    let failure: Error | undefined
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        onLine?.(line)
      })
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.once('error', (error) => {
      failure = error
      if (child.pid === undefined) reject(error)
    })
    child.once('close', (code, signal) => {
      if (failure !== undefined) reject(failure)
      else if (code === 0) resolve(output)
      else reject(new Error(`${program} ended with ${signal ?? code}:\n${lines.slice(-LAST_LINES).join('\n')}`))
    })
  })
}
