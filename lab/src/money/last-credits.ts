import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiService } from '../api-service.ts'
import { HttpClient } from '../http-client.ts'
import type { ListeningProcess } from '../listening-process.ts'

export interface LastCredits {
  /** How often each status was the last word to a client. */
  readonly statuses: Readonly<Record<string, number>>
  /** Answers that it is too busy, after which a client asks again under the same name. */
  readonly tooBusy: number
  readonly served: number
  /** Neither served nor refused for money or rate. */
  readonly others: number
  readonly balance: number
}

const TRIES = 60

/** Many clients at once over several processes, for a balance that suffices for a few of them. */
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
