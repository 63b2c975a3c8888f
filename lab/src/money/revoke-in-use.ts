import { revokeKey } from '@bookreel/service/access/revoke-key'
import type { ApiService } from '../api-service.ts'

export interface RevokedInUse {
  readonly revoked: number
  /** Requests sent after the key was revoked. */
  readonly asked: number
  /** Those that were not refused. */
  readonly passed: number
  /** Refused requests of keys that were not revoked yet. */
  readonly refusedBefore: number
}

const PATH = '/v1/api-keys/validate'
const AFTERWARDS = 4

/** Revokes keys that every process has cached, one after the other. */
export async function revokeInUse(service: ApiService, keys: number): Promise<RevokedInUse> {
  let [revoked, asked, passed, refusedBefore] = [0, 0, 0, 0]
  const statusOf = async (port: number, key: string, index: number): Promise<number> => {
    // Failed authentications are limited by address.
    const headers = { 'x-api-key': key, 'x-forwarded-for': `10.20.${index >> 8}.${index & 255}` }
    return (await service.client.ask({ port, path: PATH, headers })).status
  }
  for (let index = 0; index < keys; index++) {
    const { keyId, key } = await service.openAccount('scale', 0)
    for (const { port } of service.processes) if ((await statusOf(port, key, index)) !== 200) refusedBefore++
    const busy = service.processes.map(({ port }) => statusOf(port, key, index))
    if (await revokeKey(service.access, keyId)) revoked++
    const after = service.processes.flatMap(({ port }) =>
      Array.from({ length: AFTERWARDS }, () => statusOf(port, key, index)),
    )
    const statuses = await Promise.all(after)
    asked += statuses.length
    passed += statuses.filter((status) => status === 200).length
    await Promise.all(busy)
  }
  return { revoked, asked, passed, refusedBefore }
}
