import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepare } from '@bookreel/service/commands/prepare'
import { readConfig } from '@bookreel/service/config'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { freePort } from '@bookreel/testbed/free-port'
import { type ChildProgram, endProgram, hasEnded, startProgram } from './child-program.ts'

const MAIN = fileURLToPath(import.meta.resolve('@bookreel/service/main'))

export interface ServiceProcessOptions {
  /** A module imported before the service. */
  readonly preload?: string
}

/** One role of the service in a process of its own, as it would run in production. */
export class ServiceProcess implements AsyncDisposable {
  readonly role: string
  readonly #child: ChildProgram
  readonly #metricsUrl: string

  private constructor(role: string, child: ChildProgram, metricsUrl: string) {
    this.role = role
    this.#child = child
    this.#metricsUrl = metricsUrl
  }

  /** Its log goes to a file of its name in the folder. */
  static async start(
    role: string,
    environment: Record<string, string>,
    folder: string,
    { preload }: ServiceProcessOptions = {},
  ): Promise<ServiceProcess> {
    const port = await freePort()
    const env = { PATH: '/usr/bin:/bin', ...COMPILE_CACHE, ...environment, METRICS_PORT: String(port) }
    const child = startProgram(MAIN, ['run', role], { env, stderr: 'pipe', ...(preload && { preload }) })
    const log = createWriteStream(join(folder, `${role}.log`), { flags: 'a' })
    child.stdout.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    await once(child, 'spawn')
    return new ServiceProcess(role, child, `http://127.0.0.1:${port}/metrics`)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get hasEnded(): boolean {
    return hasEnded(this.#child)
  }

  /** The sum of a metric over its labels; undefined while the process does not answer. */
  async metric(name: string): Promise<number | undefined> {
    try {
      const text = await (await fetch(this.#metricsUrl)).text()
      const values = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
    } catch {
      return undefined
    }
  }

  /** The values of a metric by one of its labels. */
  async metricsBy(name: string, label: string): Promise<Record<string, number>> {
    const text = await (await fetch(this.#metricsUrl)).text()
    const values: Record<string, number> = {}
    for (const line of text.split('\n').filter((each) => each.startsWith(`${name}{`))) {
      const key = new RegExp(`${label}="([^"]*)"`).exec(line)?.[1] ?? ''
      values[key] = (values[key] ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1))
    }
    return values
  }

  /** The labels of every value of a metric; none while the process does not answer. */
  async labelsOf(name: string): Promise<Record<string, string>[]> {
    const text = await fetch(this.#metricsUrl)
      .then((answer) => answer.text())
      .catch(() => '')
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`))
    return lines.map((line) =>
      Object.fromEntries(Array.from(line.matchAll(/(\w+)="([^"]*)"/g), ([, label = '', value = '']) => [label, value])),
    )
  }

  /** Asks the preloaded module, which answers with one message. */
  async ask(message: Record<string, unknown>): Promise<unknown> {
    const answer = once(this.#child, 'message')
    this.#child.send(message)
    return (await answer)[0]
  }

  /** As with `kill -9`. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endProgram(this.#child)
  }
}

/** Streams and tables, made before any role is started; here, because a process of its own would start for longer. */
export async function prepareService(environment: Record<string, string>): Promise<void> {
  await prepare(readConfig(environment))
}
