import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { FaultOrder } from '@bookreel/simulator/faults/switchboard'
import type { Simulator } from '@bookreel/simulator/simulator'
import { type ChildProgram, endProgram, startProgram } from './child-program.ts'

/** A simulator in its own process, so that its CPU use can be measured separately. */
export class SimulatorProcess implements AsyncDisposable {
  readonly addresses: Simulator['addresses']
  readonly #child: ChildProgram

  private constructor(child: ChildProgram, addresses: Simulator['addresses']) {
    this.#child = child
    this.addresses = addresses
  }

  static async start(args: readonly string[]): Promise<SimulatorProcess> {
    const main = fileURLToPath(import.meta.resolve('@bookreel/simulator/main'))
    // The last of two equal options counts: venues are plain unless an experiment wants them otherwise.
    const child = startProgram(main, ['serve', '--port', '0', '--json', '--venues', 'plain', ...args])
    const lines = createInterface({ input: child.stdout })
    const first = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      child.once('exit', (code) => reject(new Error(`the simulator ended with ${code} before it was ready`)))
    })
    return new SimulatorProcess(child, JSON.parse(first))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** After the end of its tape the simulator writes frames itself, and what was measured is not what was meant. */
  async requireTape(toMs: number): Promise<void> {
    const answer = await fetch(`${this.addresses.admin}/world`)
    const { tapeEndMs } = (await answer.json()) as { tapeEndMs?: number }
    if (tapeEndMs === undefined || tapeEndMs < toMs)
      throw new Error(`the tape ended at ${tapeEndMs}, before the measurement ended at ${toMs}`)
  }

  /** Switches a fault on; returns its id. */
  async cause(order: FaultOrder): Promise<string> {
    const answer = await fetch(`${this.addresses.admin}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    if (answer.status !== 201) throw new Error(`the simulator refused ${order.name}: ${await answer.text()}`)
    const { id } = (await answer.json()) as { id: string }
    return id
  }

  /** Resolves a market before its end. */
  async resolve(marketId: string): Promise<void> {
    const answer = await fetch(`${this.addresses.admin}/markets/${marketId}/resolve`, { method: 'POST' })
    if (answer.status !== 202) throw new Error(`the simulator did not resolve ${marketId}: ${await answer.text()}`)
  }

  async end(faultId: string): Promise<void> {
    await fetch(`${this.addresses.admin}/faults/${faultId}`, { method: 'DELETE' })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endProgram(this.#child)
  }
}
