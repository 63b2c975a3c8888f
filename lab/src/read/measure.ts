import autocannon from 'autocannon'
import type { Asking, HttpClient } from '../http-client.ts'
import { percentile } from '../percentile.ts'

export interface Throughput {
  readonly perSecond: number
  readonly failed: number
}

export interface Latency {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly failed: number
  /** Of the last answer. */
  readonly bytes: number
}

export interface Load {
  readonly port: number
  readonly requests: readonly { path: string; headers?: Record<string, string> }[]
  readonly connections: number
  readonly seconds: number
}

/** As many as can be answered over a fixed number of connections. */
export async function throughputOf({ port, requests, connections, seconds }: Load): Promise<Throughput> {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    requests: [...requests],
  })
  const failed = result.non2xx + result.errors + result.timeouts
  return { perSecond: Math.round(result['2xx'] / result.duration), failed }
}

/** One after the other, each when the one before has been answered in full. */
export async function latencyOf(client: HttpClient, askings: readonly Asking[]): Promise<Latency> {
  const times: number[] = []
  let [failed, bytes] = [0, 0]
  for (const asking of askings) {
    const fromMs = performance.now()
    const reply = await client.ask(asking).catch(() => undefined)
    times.push(performance.now() - fromMs)
    if (reply?.status === 200) bytes = reply.body.length
    else failed++
  }
  return { p50Ms: hundredths(percentile(times, 0.5)), p95Ms: hundredths(percentile(times, 0.95)), failed, bytes }
}

export function hundredths(value: number): number {
  return Math.round(value * 100) / 100
}
