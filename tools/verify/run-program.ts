import { spawn } from 'node:child_process'

export interface Ended {
  readonly code: number
  readonly text: string
}

/** Output that is only `kept` is printed by the caller, so that it does not mix with what is `shown`. */
export function runProgram(
  command: string,
  args: readonly string[],
  output: 'shown' | 'kept',
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
    const parts: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part: Buffer) => {
        parts.push(part)
        if (output === 'shown') process.stdout.write(part)
      })
    }
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, text: Buffer.concat(parts).toString() }))
  })
}
