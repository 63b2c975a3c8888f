import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Processes that use as much processor time as they get. */
export class BusyMachine implements AsyncDisposable {
  readonly #processes: readonly ChildProcess[]

  constructor(count: number) {
    // They end when this process does, in whatever way it ends.
    const program =
      'process.on("disconnect", () => process.exit()); setInterval(() => { const end = Date.now() + 90; while (Date.now() < end); }, 1)'
    this.#processes = Array.from({ length: count }, () =>
      spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#processes.map(async (each) => {
        const ended = once(each, 'exit')
        each.kill('SIGKILL')
        await ended
      }),
    )
  }
}
