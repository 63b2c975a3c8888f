import { issueKey } from '@bookreel/service/access/issue-key'
import type { ApiService } from '../api-service.ts'

export interface ExpiredKeys {
  readonly keys: number
  /** Requests that were answered although they began after the key had ended. */
  readonly answeredLate: number
  /** Credits charged beyond the answers that were delivered. */
  readonly chargedTooMuch: number
}

const LIFE_MS = 2_000
const CREDITS = 1_000_000
const AFTER_MS = 1_000

/** Keys that end while they buy: nothing is answered or charged after their end, on any process. */
export async function expireInUse(
  service: ApiService,
  path: string,
  { keys, price }: { keys: number; price: number },
): Promise<ExpiredKeys> {
  let [answeredLate, chargedTooMuch] = [0, 0]
  const buy = async (_: unknown, number: number): Promise<void> => {
    const { id: accountId } = await service.openAccount('enterprise', CREDITS)
    const endsAtMs = Date.now() + LIFE_MS
    const { key } = await issueKey(service.access, { accountId, label: 'short', expiresAtMs: endsAtMs })
    let answered = 0
    for (let index = 0; Date.now() < endsAtMs + AFTER_MS; index++) {
      const { port } = service.processes[index % service.processes.length] ?? service
      const beganAtMs = Date.now()
      // Failed authentications are limited by address.
      const headers = { 'x-api-key': key, 'x-forwarded-for': `10.21.0.${number}` }
      const { status } = await service.client.ask({ port, path, headers })
      if (status !== 200) continue
      answered++
      if (beganAtMs >= endsAtMs) answeredLate++
    }
    const balance = (await service.access.ledger.spendable(accountId))?.balance ?? Number.NaN
    chargedTooMuch += CREDITS - balance - answered * price
  }
  await Promise.all(Array.from({ length: keys }, buy))
  return { keys, answeredLate, chargedTooMuch }
}
