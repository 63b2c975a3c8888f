// Nightly: kills engines.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { expect, onTestFinished, test } from 'vitest'
import { ensureProgram } from '../src/install/ensure-programs.ts'
import { type Stack, startStack } from '../src/start-stack.ts'
import { natsClient } from './clients.ts'
import { eventually } from './traces.ts'

const MESSAGES = 100

test('NATS syncs every message to disk before it acknowledges it', async () => {
  await using stack = await startStack({ engines: ['nats'] })
  expect(await syncsWhilePublishing(stack)).toBeGreaterThanOrEqual(MESSAGES)
})

test('the count of syncs distinguishes a server that does not sync', async () => {
  await using stack = await startStack({ engines: ['nats'] })
  const config = join(stack.dir, 'nats/nats.conf')
  writeFileSync(config, readFileSync(config, 'utf8').replace(', sync_interval: always', ''))
  await stack.engine('nats').restart()
  expect(await syncsWhilePublishing(stack)).toBeLessThan(MESSAGES / 10)
})

/** How often the server synced a file between the first publish and the last acknowledgement. */
async function syncsWhilePublishing(stack: Stack): Promise<number> {
  const strace = await ensureProgram('strace', () => {})
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const connection = await natsClient(stack)
  const manager = await jetstreamManager(connection)
  await manager.streams.add({ name: 'books', subjects: ['book.>'] })

  const calls = join(folder, 'calls')
  const args = ['-f', '-e', 'trace=fsync,fdatasync', '-o', calls, '-p', String(stack.engine('nats').pid)]
  const tracer = spawn(strace.path, args, {
    env: strace.libraryPath ? { LD_LIBRARY_PATH: strace.libraryPath } : {},
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(tracer, 'exit')
  let said = ''
  tracer.stderr.on('data', (chunk) => {
    said += chunk
  })
  await eventually(
    () => said,
    (text) => text.includes('attached'),
  )
  const bus = jetstream(connection)
  for (let n = 0; n < MESSAGES; n++) await bus.publish(`book.venue.${n}`, 'levels')
  tracer.kill('SIGINT')
  await ended
  await connection.close()
  const lines = readFileSync(calls, 'utf8').split('\n')
  return lines.filter((line) => /\bf(data)?sync\(/.test(line)).length
}
