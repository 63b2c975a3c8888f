import type { ApiProcess, ApiService } from '../api-service.ts'
import { HttpClient } from '../http-client.ts'

export interface LastCredits {
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<string, number>>
  readonly served: number
  /** Neither served nor refused for money or rate. */
  readonly others: number
  readonly balance: number
}

/** Many clients at once over several processes, for a balance that suffices for a few of them. */
export async function spendLastCredits(
  service: ApiService,
  apis: readonly ApiProcess[],
  path: string,
  { clients, credits }: { clients: number; credits: number },
): Promise<LastCredits> {
  const { id, key } = await service.openAccount('enterprise', credits)
  using client = new HttpClient(clients)
  const counts = new Map<string, number>()
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const port = apis[index % apis.length]?.port ?? 0
      const reply = await client.ask({ port, path, headers: { 'x-api-key': key }, timeoutMs: 60_000 }).catch(() => null)
      const status = String(reply?.status ?? 'no answer')
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }),
  )
  const of = (status: string): number => counts.get(status) ?? 0
  return {
    statuses: Object.fromEntries(counts),
    served: of('200'),
    others: clients - of('200') - of('402') - of('429'),
    balance: (await service.access.ledger.spendable(id))?.balance ?? Number.NaN,
  }
}
