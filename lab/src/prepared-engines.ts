import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '@bookreel/service/config'
import { type Access, openAccess } from '@bookreel/service/wiring/open-access'
import type { Stack } from '@bookreel/stack/start-stack'
import { PATIENT } from '@bookreel/testbed/service/store-limits'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { prepareService } from './service-process.ts'

/** Engines with empty streams and tables, for experiments that insert rows and start roles themselves. */
export class PreparedEngines implements AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>
  readonly config: Config
  readonly access: Access
  /** Temporary folder, removed with the engines. */
  readonly folder: string
  readonly #stack: Stack
  readonly #parts: AsyncDisposableStack

  private constructor(
    made: Pick<PreparedEngines, 'environment' | 'config' | 'access' | 'folder'>,
    stack: Stack,
    parts: AsyncDisposableStack,
  ) {
    this.environment = made.environment
    this.config = made.config
    this.access = made.access
    this.folder = made.folder
    this.#stack = stack
    this.#parts = parts
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PreparedEngines> {
    await using parts = new AsyncDisposableStack()
    const stack = parts.use(await borrowStack())
    const folder = await mkdtemp(join(tmpdir(), 'bookreel-lab-'))
    parts.defer(() => rm(folder, { recursive: true, force: true }))
    const KEY_PEPPER = 'a pepper that only the lab knows, long enough'
    const environment = { ...stack.variables, KEY_PEPPER, ...settings }
    await prepareService(environment)
    const config = readConfig(environment)
    const access = openAccess(config, () => {}, PATIENT)
    parts.defer(() => access.close())
    await access.untilRedisReady()
    return new PreparedEngines({ environment, config, access, folder }, stack, parts.move())
  }

  /** For failures of an engine. */
  engine(name: Parameters<Stack['engine']>[0]): ReturnType<Stack['engine']> {
    return this.#stack.engine(name)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync()
  }
}
