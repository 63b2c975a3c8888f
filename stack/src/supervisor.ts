/** The supervisor process of a stack: starts the engines, keeps the stack record, and stops the engines when it ends. */
import { existsSync } from 'node:fs'
import { planEngines, type StackRequest, variablesOf } from './engine-plans.ts'
import { EngineProcess } from './engine-process.ts'
import { PortClaims } from './ports.ts'
import { identify } from './processes.ts'
import {
  claimFolder,
  environmentFile,
  removeFolder,
  type StackRecord,
  writeEnvironment,
  writeRecord,
} from './stack-record.ts'
import type { FromSupervisor, ToSupervisor } from './supervisor-protocol.ts'

// ClickHouse waits five seconds for connected clients; the final stop of a stack need not wait that long.
const FINAL_STOP_TIMEOUT_MS = 2_000

const startedAtMs = Date.now()
const ports = new PortClaims()
const stopping = new AbortController()
let engines: EngineProcess[] = []
let healthyAfterMs: number | undefined
let dir: string | undefined
let owned = true
let starting: Promise<unknown> = Promise.resolve()
let recording: Promise<void> = Promise.resolve()

function record(): StackRecord {
  const supervisor = identify(process.pid) ?? { pid: process.pid, startTicks: '' }
  const started = healthyAfterMs === undefined ? {} : { healthyAfterMs }
  return { supervisor, startedAtMs, ...started, engines: engines.map((engine) => engine.record) }
}

function saveRecord(): void {
  recording = recording.then(async () => {
    if (dir && !stopping.signal.aborted) await writeRecord(dir, record())
  })
  recording.catch((error: Error) => end(`Writing stack.json failed: ${error.message}`))
}

function send(message: FromSupervisor): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })
}

async function start(request: StackRequest): Promise<void> {
  await claimFolder(request.dir, record())
  dir = request.dir
  const plans = await planEngines(request, ports)
  engines = plans.map((plan) => new EngineProcess(plan, saveRecord))
  // Wait for all engines even after a failure: one that is still preparing would write into a removed folder.
  const outcomes = await Promise.allSettled(engines.map((engine) => engine.startFirst(stopping.signal)))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  await writeEnvironment(dir, variablesOf(plans))
  healthyAfterMs = Date.now() - startedAtMs
  saveRecord()
  await recording
  watchFolder(environmentFile(dir))
  await send({ type: 'ready', record: record() })
}

/** Stops the stack when its folder is deleted. */
function watchFolder(file: string): void {
  setInterval(() => {
    if (!existsSync(file)) void end()
  }, 1_000).unref()
}

async function act(message: Extract<ToSupervisor, { type: 'act' }>): Promise<void> {
  const engine = engines.find(({ plan }) => plan.id === message.engine)
  const failure = await (async () => engine?.[message.action]())().then(
    () => (engine ? undefined : `This stack has no engine ${message.engine}`),
    (error: Error) => error.message,
  )
  await send({ type: 'acted', requestId: message.requestId, record: record(), ...(failure && { failure }) })
}

async function end(failure?: string): Promise<void> {
  if (stopping.signal.aborted) return
  stopping.abort()
  await starting.catch(() => {})
  await Promise.allSettled(engines.map((engine) => engine.stop(FINAL_STOP_TIMEOUT_MS)))
  await Promise.allSettled(engines.map((engine) => engine.sweep()))
  await recording.catch(() => {})
  if (dir) await removeFolder(dir)
  if (failure) await send({ type: 'failed', reason: failure })
  process.exit(failure ? 1 : 0)
}

process.on('message', (message: ToSupervisor) => {
  switch (message.type) {
    case 'start':
      starting = start(message.request)
      starting.catch((error: Error) => end(error.message))
      break
    case 'release':
      owned = false
      process.disconnect?.()
      break
    case 'stop':
      void end()
      break
    case 'act':
      void act(message)
      break
  }
})
process.once('disconnect', () => {
  if (owned) void end()
})
process.on('uncaughtException', (error) => void end(error.stack))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end())
// Keeps the process alive after its release, even when every engine was killed on purpose.
setInterval(() => {}, 2 ** 30)
