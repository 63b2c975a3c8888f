import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Simulator } from '@bookreel/simulator/simulator'
import type { Stack } from '@bookreel/stack/start-stack'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { freePort } from '@bookreel/testbed/free-port'
import { venueSettings } from '@bookreel/testbed/venue-settings'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface CaptureSettings {
  stack: Stack
  simulator: Simulator
  shards: number
  emissionLog: string
  /** How far its wall clock is ahead of the test's. */
  wallAheadMs?: number
}

/** `bookreel-server run capture` in a process of its own, as in production. */
export class CaptureProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #metricsUrl: string
  #log = ''

  private constructor(child: ChildProcess, metricsUrl: string) {
    this.#child = child
    this.#metricsUrl = metricsUrl
    for (const output of [child.stdout, child.stderr]) output?.on('data', (text) => (this.#log += text))
  }

  static async start({ stack, simulator, shards, emissionLog, wallAheadMs = 0 }: CaptureSettings) {
    const port = await freePort()
    const env = {
      ...COMPILE_CACHE,
      ...stack.variables,
      // Required in every role's config, but not used by capture.
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      ...venueSettings(simulator.addresses),
      POLYMARKET_SHARDS: String(shards),
      // The machine of a test is busy with other tests.
      CAPTURE_SHED_ABOVE: '1',
      EMISSION_LOG: emissionLog,
      METRICS_PORT: String(port),
    }
    const steppedClock = `${import.meta.resolve('@bookreel/testbed/stepped-clock')}?aheadMs=${wallAheadMs}`
    const child = spawn(process.execPath, ['--import', steppedClock, MAIN, 'run', 'capture'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    await once(child, 'spawn')
    return new CaptureProcess(child, `http://127.0.0.1:${port}/metrics`)
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get log(): string {
    return this.#log
  }

  /** How often its log has this message about a shard of the venue. */
  shardCount(message: string, venue = 'polymarket'): number {
    const lines = this.#log.split('\n').filter((line) => line.includes(`"msg":"${message}"`))
    return lines.filter((line) => line.includes(`"shard":"${venue}.`)).length
  }

  /** Whether its log says that it has the shard. */
  holds(shard: string): boolean {
    const lines = this.#log.split('\n').filter((line) => line.includes(`"shard":"${shard}"`))
    const last = lines.findLast((line) => /shard lease acquired|shard lease released|shard lost/.test(line))
    return last?.includes('shard lease acquired') ?? false
  }

  /** Undefined while the metrics port does not answer. */
  async metric(name: string): Promise<number | undefined> {
    try {
      const text = await (await fetch(this.#metricsUrl, { signal: AbortSignal.timeout(1_000) })).text()
      const line = text.split('\n').find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`))
      return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')))
    } catch {
      return undefined
    }
  }

  /** Whether all followed markets but one have proved books. */
  async isWarm(): Promise<boolean> {
    const [followed = 0, trusted = 0] = [
      await this.metric('capture_markets_followed'),
      await this.metric('capture_markets_trusted'),
    ]
    return followed > 10 && trusted >= followed - 1
  }

  stepWall(wallAheadMs: number): void {
    this.#child.send({ wallAheadMs })
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name)
  }

  /** Returns when it was killed. */
  async kill(): Promise<number> {
    const ended = once(this.#child, 'exit')
    const killedAtMs = Date.now()
    this.#child.kill('SIGKILL')
    await ended
    return killedAtMs
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isAlive) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGCONT')
    this.#child.kill('SIGTERM')
    await ended
  }
}
