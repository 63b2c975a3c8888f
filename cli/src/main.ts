#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { runCli } from './run-cli.ts'
import { Interrupted, Terminal } from './terminal.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort(new Interrupted()))
// The reader of a pipe may close it early: `bookreel watch BTC/5m | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const terminal = new Terminal(process, process.env)
process.exitCode = await runCli(process.argv.slice(2), terminal, { version, signal: stop.signal })
