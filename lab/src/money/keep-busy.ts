import { Worker } from 'node:worker_threads'

/** Threads that compute without a pause, so that every process of the service gets its turn late. */
export function keepBusy(threads: number): AsyncDisposable {
  const workers = Array.from({ length: threads }, () => new Worker('for (;;) {}', { eval: true }))
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}
