import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiService } from '../api-service.ts'
import type { Reply } from '../http-client.ts'

export interface RepeatedRequests {
  readonly requests: number
  /** Retries that were free although their answer differs from the one that was paid for. */
  readonly otherAnswers: number
  /** Retries, at most five for each request, that did not return the paid answer for free. */
  readonly refused: number
  /** Sixth retries that were answered. */
  readonly tooMany: number
  /** Requests for which no newer rows were served within a minute, so that they prove nothing. */
  readonly unchanged: number
  /** Credits beyond those for the answers that were paid for. */
  readonly overcharged: number
}

const FREE_RETRIES = 5
const NEW_ROWS = 3
const LOOKS = 120
const LOOK_EVERY_MS = 500

/** Requests for the newest rows of a market are retried on all processes while newer rows arrive. */
export async function repeatRequests(
  service: ApiService,
  marketIds: readonly string[],
  { requests, price }: { requests: number; price: number },
): Promise<RepeatedRequests> {
  const credits = 10_000_000
  let bought = 0
  const { id: account, key } = await service.openAccount('enterprise', credits)
  const ask = (index: number, path: string, idempotencyKey?: string): Promise<Reply> => {
    const port = service.processes[index % service.processes.length]?.port ?? 0
    const headers = { 'x-api-key': key, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) }
    return service.client.ask({ port, path, headers })
  }
  const counts = { otherAnswers: 0, refused: 0, tooMany: 0, unchanged: 0 }
  for (let index = 0; index < requests; index++) {
    const marketId = marketIds[index % marketIds.length] ?? ''
    const path = `/v1/markets/${marketId}/snapshots?limit=10`
    const first = await ask(index, path, `repeat ${index}`)
    if (first.status !== 200) throw new Error(`the request was answered with ${first.status}`)
    await addNewerRows(service, marketId)
    bought++
    let isNewer = false
    for (let look = 0; look < LOOKS && !isNewer; look++) {
      if (look > 0) await sleep(LOOK_EVERY_MS)
      isNewer = !(await ask(index, path)).body.equals(first.body)
      bought++
    }
    if (!isNewer) counts.unchanged++
    for (let retry = 1; retry <= FREE_RETRIES; retry++) {
      const { status, headers, body } = await ask(index + retry, path, `repeat ${index}`)
      const isFree = status === 200 && headers['x-credits-cost'] === '0'
      if (!isFree) counts.refused++
      else if (!body.equals(first.body)) counts.otherAnswers++
    }
    if ((await ask(index, path, `repeat ${index}`)).status !== 409) counts.tooMany++
  }
  const balance = (await service.access.ledger.spendable(account))?.balance ?? Number.NaN
  return { requests, ...counts, overcharged: credits - balance - bought * price }
}

/** Copies of the newest rows, which follow them. */
async function addNewerRows({ recording }: ApiService, marketId: string): Promise<void> {
  await recording.clickhouse.command({
    query: `INSERT INTO snapshots
      WITH newest AS (
        SELECT * FROM snapshots WHERE market_id = unhex({market:String}) ORDER BY slot DESC LIMIT {rows:UInt32}
      ), (SELECT max(slot) - min(slot) + 1 FROM newest) AS span
      SELECT * REPLACE (slot + span AS slot, captured_at + toIntervalMillisecond(span * interval_ms) AS captured_at)
      FROM newest`,
    query_params: { rows: NEW_ROWS, market: marketId.slice(2) },
  })
}
