import type { ApiService } from './api-service.ts'
import { hundredths } from './hundredths.ts'
import { percentile } from './percentile.ts'
import { cpuSecondsOf } from './process-cpu.ts'

export interface TimedRequests {
  /** In ms, in the order of the paths. */
  readonly times: readonly number[]
  /** The cheapest request of the same process, sent before each one: what machine, HTTP and client take at that moment. */
  readonly bareTimes: readonly number[]
  /** CPU time of the API for one request and one bare request, in ms. */
  readonly cpuMs: number
}

const BARE = '/health/live'

/** Sends one request after another. */
export async function timeRequests(
  { client, processes, port }: ApiService,
  key: string,
  paths: readonly string[],
  onAnswer: (body: Buffer, path: string, index: number) => void = () => {},
): Promise<TimedRequests> {
  const pid = processes[0]?.pid ?? 0
  const times: number[] = []
  const bareTimes: number[] = []
  const ask = async (path: string): Promise<{ ms: number; body: Buffer }> => {
    const startMs = performance.now()
    const { status, body } = await client.ask({ port, path, headers: { 'x-api-key': key } })
    const ms = performance.now() - startMs
    if (status !== 200) throw new Error(`${path} responded with status ${status}`)
    return { ms, body }
  }
  const cpuSeconds = cpuSecondsOf(pid)
  for (const [index, path] of paths.entries()) {
    bareTimes.push((await ask(BARE)).ms)
    const { ms, body } = await ask(path)
    times.push(ms)
    onAnswer(body, path, index)
  }
  return { times, bareTimes, cpuMs: ((cpuSecondsOf(pid) - cpuSeconds) * 1_000) / paths.length }
}

export const p95 = (times: readonly number[]): number => hundredths(percentile(times, 0.95))
const median = (times: readonly number[]): number => hundredths(percentile(times, 0.5))

/** For notes. */
export function figuresOf({ times, bareTimes, cpuMs }: TimedRequests): string {
  return `p95 ${p95(times)} ms, median ${median(times)} ms, CPU ${hundredths(cpuMs)} ms (bare request: p95 ${p95(bareTimes)} ms, median ${median(bareTimes)} ms)`
}
