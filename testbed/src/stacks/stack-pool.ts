import { setTimeout as sleep } from 'node:timers/promises'
import { type EngineId, OPTIONAL_ENGINES, USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import { type Stack, startStack } from '@bookreel/stack/start-stack'
import type { EngineAction } from '@bookreel/stack/supervisor-protocol'
import { emptyStack } from './empty-stack.ts'
import { engineUsers } from './test-logins.ts'

interface PooledStack {
  readonly stack: Stack
  /** Engines that a test killed, paused or restarted. */
  readonly disturbed: Set<EngineId>
}

const EMPTY_WITHIN_MS = 60_000

/** Stacks that test files borrow one after the other, so that engines are not started for each file. */
export class StackPool implements AsyncDisposable {
  readonly #stacks: PooledStack[] = []
  readonly #idle: PooledStack[] = []

  /** A stack with nothing in it; a new one is started when all others are in use. */
  async borrow(): Promise<PooledStack> {
    const idle = this.#idle.pop()
    if (idle === undefined) return this.#start()
    try {
      for (const engine of idle.disturbed) await idle.stack.engine(engine).restart()
      idle.disturbed.clear()
      await Promise.race([emptyStack(idle.stack), failAfter(EMPTY_WITHIN_MS)])
      return idle
    } catch (error) {
      process.stderr.write(`testbed: ${idle.stack.dir} could not be emptied and will be replaced: ${String(error)}\n`)
      await idle.stack.stop()
      return this.#start()
    }
  }

  async act(pooled: PooledStack, engine: EngineId, action: EngineAction): Promise<void> {
    pooled.disturbed.add(engine)
    await pooled.stack.engine(engine)[action]()
  }

  giveBack(pooled: PooledStack): void {
    this.#idle.push(pooled)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stacks.map(({ stack }) => stack.stop()))
  }

  async #start(): Promise<PooledStack> {
    const stack = await startStack({ engines: [...USUAL_ENGINES, ...OPTIONAL_ENGINES], users: engineUsers() })
    const pooled = { stack, disturbed: new Set<EngineId>() }
    this.#stacks.push(pooled)
    return pooled
  }
}

async function failAfter(ms: number): Promise<never> {
  await sleep(ms, undefined, { ref: false })
  throw new Error(`not finished within ${ms / 1_000} s`)
}
