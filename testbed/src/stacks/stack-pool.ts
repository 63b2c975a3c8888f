import { type EngineId, OPTIONAL_ENGINES, USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import { type Stack, startStack } from '@bookreel/stack/start-stack'
import type { EngineAction } from '@bookreel/stack/supervisor-protocol'
import { emptyStack } from './empty-stack.ts'

interface PooledStack {
  readonly stack: Stack
  /** Engines that a test killed, paused or restarted. */
  readonly disturbed: Set<EngineId>
}

/** Stacks that test files borrow one after the other, so that engines are not started for each file. */
export class StackPool implements AsyncDisposable {
  readonly #stacks: PooledStack[] = []
  readonly #idle: PooledStack[] = []

  /** A stack with nothing in it; a new one is started when all others are in use. */
  async borrow(): Promise<PooledStack> {
    const idle = this.#idle.pop()
    const pooled = idle ?? (await this.#start())
    for (const engine of pooled.disturbed) await pooled.stack.engine(engine).restart()
    pooled.disturbed.clear()
    if (idle !== undefined) await emptyStack(pooled.stack)
    return pooled
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
    const stack = await startStack({ engines: [...USUAL_ENGINES, ...OPTIONAL_ENGINES] })
    const pooled = { stack, disturbed: new Set<EngineId>() }
    this.#stacks.push(pooled)
    return pooled
  }
}
