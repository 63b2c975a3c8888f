import { spawn } from 'node:child_process'
import { boundCommand } from './bound-command.ts'
import type { Command } from './engines/engine.ts'

/** Runs a command to its end and returns its output; throws an error with the output when it fails. */
export function runToEnd(command: Command, stdin = '', options: { cwd?: string } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const { file, args, env } = boundCommand(command)
    const child = spawn(file, args, { env, cwd: options.cwd ?? '/', stdio: ['pipe', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output)
      else reject(new Error(`${command.program.path} exited with ${signal ?? code}:\n${output.trim()}`))
    })
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
  })
}
