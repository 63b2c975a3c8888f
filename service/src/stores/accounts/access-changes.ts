import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

export type AccessChange =
  | { readonly kind: 'key'; readonly keyId: string }
  | { readonly kind: 'account'; readonly accountId: string }
  /** Changes may have been missed while there was no connection. */
  | { readonly kind: 'anything' }

export interface ListenOptions {
  readonly url: string
  /** Called with `anything` once the subscription is active, then with each change. */
  readonly onChange: (change: AccessChange) => void
}

const TIMEOUT_MS = 2_000
const PING_EVERY_MS = 2_000
const CLOSE_TIMEOUT_MS = 500

/** Listens for revoked keys and changed tiers until the signal aborts; throws when the connection is lost. */
export async function listenForAccessChanges({ url, onChange }: ListenOptions, signal: AbortSignal): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
  })
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})
  client.on('error', lost.reject)
  client.on('end', () => lost.reject(new Error('PostgreSQL closed the connection')))
  client.on('notification', ({ payload = '' }) => onChange(changeIn(payload)))
  try {
    await client.connect()
    await client.query('LISTEN access_changes')
    onChange({ kind: 'anything' })
    while (!signal.aborted) {
      const pause = sleep(PING_EVERY_MS, undefined, { signal }).catch(() => {})
      await Promise.race([pause, lost.promise])
      // Only a query detects a peer that disappeared without closing the connection.
      if (!signal.aborted) await Promise.race([client.query('SELECT 1'), lost.promise])
    }
  } finally {
    await Promise.race([client.end().catch(() => {}), sleep(CLOSE_TIMEOUT_MS)])
  }
}

function changeIn(payload: string): AccessChange {
  const [kind, id = ''] = payload.split(':')
  if (kind === 'key') return { kind, keyId: id }
  if (kind === 'account') return { kind, accountId: id }
  return { kind: 'anything' }
}
