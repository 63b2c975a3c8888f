import autocannon from 'autocannon'
import type { Asking, HttpClient } from '../http-client.ts'
import { hundredths } from '../hundredths.ts'
import { percentile } from '../percentile.ts'

export interface Throughput {
  readonly perSecond: number
  readonly failed: number
  /** Number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>
}

export interface Latency {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly failed: number
  /** Body of the last response. */
  readonly bytes: number
}

export interface Load {
  readonly port: number
  readonly requests: readonly { path: string; headers?: Record<string, string> }[]
  readonly connections: number
  readonly seconds: number
}

/** Measures throughput over a fixed number of connections. */
export async function throughputOf({ port, requests, connections, seconds }: Load): Promise<Throughput> {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    requests: [...requests],
  })
  const failed = result.non2xx + result.errors + result.timeouts
  const counted = Object.entries(result.statusCodeStats ?? {}).map(([status, { count }]) => [status, count])
  const statuses = Object.fromEntries([...counted, ['timeouts', result.timeouts], ['errors', result.errors]])
  return { perSecond: Math.round(result['2xx'] / result.duration), failed, statuses }
}

/**
 * Measures latency of requests one after the other. Several kinds take turns, so that they meet
 * the same load of the machine.
 */
export async function latenciesInTurn<Kind extends string>(
  client: HttpClient,
  askings: Readonly<Record<Kind, readonly Asking[]>>,
): Promise<Record<Kind, Latency>> {
  const kinds = (Object.keys(askings) as Kind[]).map((name) => ({ name, times: [] as number[], failed: 0, bytes: 0 }))
  const most = Math.max(...kinds.map(({ name }) => askings[name].length))
  for (let turn = 0; turn < most; turn++) {
    for (const kind of kinds) {
      const asking = askings[kind.name][turn]
      if (asking === undefined) continue
      const fromMs = performance.now()
      const reply = await client.ask(asking).catch(() => undefined)
      kind.times.push(performance.now() - fromMs)
      if (reply?.status === 200) kind.bytes = reply.body.length
      else kind.failed++
    }
  }
  const latencies = kinds.map(({ name, times, failed, bytes }) => {
    const [p50Ms, p95Ms] = [hundredths(percentile(times, 0.5)), hundredths(percentile(times, 0.95))]
    return [name, { p50Ms, p95Ms, failed, bytes }]
  })
  return Object.fromEntries(latencies)
}
