import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { freePort } from '@bookreel/testbed/free-port'
import { TestService, type TestServiceOptions } from '@bookreel/testbed/service/test-service'
import { until } from '@bookreel/testbed/until'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { vi } from 'vitest'
import { apiRole } from '../../service/src/roles/api-role.ts'

/** Other tests may start their services at the same time. */
const START_WITHIN_MS = 180_000
const MAIN = fileURLToPath(import.meta.resolve('../src/main.ts'))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly key?: string
  readonly url?: string
  readonly input?: string
  readonly variables?: Record<string, string>
}

/** A running program and its output so far. */
export class Running {
  readonly child: ChildProcessWithoutNullStreams
  stdout = ''
  stderr = ''
  readonly ended: Promise<Ended>

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.ended = once(child, 'close').then(([code]) => {
      return { code: code as number | null, stdout: this.stdout, stderr: this.stderr }
    })
  }

  async until(condition: (running: Running) => boolean): Promise<void> {
    await vi.waitUntil(() => condition(this) || this.child.exitCode !== null, { timeout: 120_000, interval: 50 })
    if (!condition(this))
      throw new Error(
        `the program ended before the condition was met: ${this.stdout.slice(-500)} ${this.stderr.slice(-500)}`,
      )
  }
}

/** Serves the API with streams and MCP, usually over the frozen world, and runs the CLI against it. */
export class CliScene implements AsyncDisposable {
  readonly service: TestService
  readonly url: string
  readonly folder: string
  readonly #stop = new AbortController()
  readonly #api: Promise<void>

  private constructor(service: TestService, port: number, folder: string) {
    this.service = service
    this.folder = folder
    this.url = `http://127.0.0.1:${port}`
    const config = { ...service.config, HTTP_HOST: '127.0.0.1', HTTP_PORT: port, STREAM_IN_API: true }
    const role = { config, log: pino({ level: 'silent' }), registry: new Registry(), nowMs: service.nowMs }
    this.#api = apiRole(role, this.#stop.signal)
    this.#api.catch(() => {})
  }

  /** Without a world and a recorder, the test stores what it needs. */
  static async open(options: Pick<TestServiceOptions, 'record' | 'world'> = { world: 'frozen' }): Promise<CliScene> {
    const folder = await mkdtemp(join(tmpdir(), 'bookreel-cli-'))
    const service = await TestService.start(options)
    const scene = new CliScene(service, await freePort(), folder)
    const hasRows = options.record !== undefined || options.world !== undefined
    const isReady = () => scene.#isOk(hasRows ? '/health/ready' : '/health/live')
    await Promise.race([scene.#api, until('the API is ready', isReady, { withinMs: START_WITHIN_MS, everyMs: 200 })])
    return scene
  }

  start(args: readonly string[], options: RunOptions = {}): Running {
    return this.startProgram(process.execPath, ['--conditions=bookreel-source', MAIN, ...args], options)
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const running = this.start(args, options)
    running.child.stdin.end(options.input ?? '')
    return running.ended
  }

  /** Runs the CLI in a pseudo-terminal created by `script`. */
  startInTerminal(args: readonly string[], options: RunOptions = {}): Running {
    const words = [process.execPath, '--conditions=bookreel-source', MAIN, ...args].map((word) => `'${word}'`)
    const line = `stty cols 90 rows 24; exec ${words.join(' ')}`
    return this.startProgram('script', ['-qec', line, '/dev/null'], options)
  }

  startProgram(program: string, args: readonly string[], { key, url, variables }: RunOptions): Running {
    const env = {
      ...COMPILE_CACHE,
      PATH: '/usr/bin:/bin',
      HOME: this.folder,
      TERM: 'xterm-256color',
      BOOKREEL_URL: url ?? this.url,
      ...(key !== undefined && { BOOKREEL_KEY: key }),
      ...variables,
    }
    return new Running(spawn(program, args, { env, cwd: this.folder }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#api
    await this.service[Symbol.asyncDispose]()
    await rm(this.folder, { recursive: true, force: true })
  }

  async #isOk(path: string): Promise<boolean> {
    return (await fetch(`${this.url}${path}`).catch(() => undefined))?.ok === true
  }
}
