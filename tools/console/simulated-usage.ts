import { randomUUID } from 'node:crypto'
import { readConfig } from '@bookreel/service/config'
import { type CountedCalls, Usage } from '@bookreel/service/stores/accounts/usage'
import { openAccess } from '@bookreel/service/wiring/open-access'

const DAY_MS = 86_400_000
const USED_DAYS = 29
/** Bots rest at the weekend, and so do people. */
const WEEKEND_SHARE = 0.45

/** What a key calls on a usual day. */
export interface UsedKey {
  readonly id: string
  readonly calls: Readonly<Record<string, number>>
  /** Calls that are refused now and then, by endpoint and error code. */
  readonly refused?: readonly { readonly endpoint: string; readonly code: string; readonly calls: number }[]
}

/** Counts of the days before today, as if the keys had been used for a month. */
export async function saveSimulatedUsage(
  environment: Readonly<Record<string, string>>,
  accountId: string,
  keys: readonly UsedKey[],
  nowMs: number,
): Promise<void> {
  const access = openAccess(readConfig(environment), () => {})
  try {
    const rows = keys.flatMap((key) => countedCalls(accountId, key, nowMs))
    await new Usage(access.database).add({ id: randomUUID(), rows })
  } finally {
    await access.close()
  }
}

function countedCalls(accountId: string, { id: keyId, calls, refused = [] }: UsedKey, nowMs: number): CountedCalls[] {
  const rows: CountedCalls[] = []
  for (let ago = USED_DAYS; ago > 0; ago--) {
    const atMs = nowMs - ago * DAY_MS
    const day = new Date(atMs).toISOString().slice(0, 10)
    const isWeekend = [0, 6].includes(new Date(atMs).getUTCDay())
    const share = (isWeekend ? WEEKEND_SHARE : 1) * (1 + 0.3 * Math.sin(ago * 1.7))
    for (const [endpoint, usual] of Object.entries(calls))
      rows.push({ accountId, keyId, endpoint, day, calls: Math.round(usual * share) })
    if (ago % 6 === 2) for (const each of refused) rows.push({ accountId, keyId, day, ...each })
  }
  return rows
}
