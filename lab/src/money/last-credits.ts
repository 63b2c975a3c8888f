import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiService } from '../api-service.ts'
import { HttpClient } from '../http-client.ts'
import type { ListeningProcess } from '../listening-process.ts'

export interface LastCredits {
  /** Number of clients by their final status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Overload responses, after which a client retries under the same idempotency key. */
  readonly tooBusy: number
  readonly served: number
  /** Neither served nor refused for credits or rate. */
  readonly others: number
  readonly balance: number
}

const TRIES = 60

/** Many concurrent clients over several processes, with a balance that is enough for a few of them. */
export async function spendLastCredits(
  service: ApiService,
  apis: readonly ListeningProcess[],
  path: string,
  { clients, credits }: { clients: number; credits: number },
): Promise<LastCredits> {
  const { id, key } = await service.openAccount('enterprise', credits)
  using client = new HttpClient(clients)
  const counts = new Map<string, number>()
  let tooBusy = 0
  const finalStatus = async (index: number): Promise<string> => {
    const port = apis[index % apis.length]?.port ?? 0
    const headers = { 'x-api-key': key, 'idempotency-key': `client ${index}` }
    for (let tries = 1; tries < TRIES; tries++) {
      const reply = await client.ask({ port, path, headers, timeoutMs: 60_000 }).catch(() => undefined)
      if (reply !== undefined && reply.status !== 503) return String(reply.status)
      tooBusy++
      await sleep(500)
    }
    return 'none'
  }
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const status = await finalStatus(index)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }),
  )
  const of = (status: string): number => counts.get(status) ?? 0
  return {
    statuses: Object.fromEntries(counts),
    tooBusy,
    served: of('200'),
    others: clients - of('200') - of('402') - of('429'),
    balance: (await service.access.ledger.spendable(id))?.balance ?? Number.NaN,
  }
}
