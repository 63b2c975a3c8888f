import type { Config } from '../config.ts'
import type { Role } from './role.ts'

/** A process loads the code of its own roles only, so that it starts sooner. */
export const ROLES: Readonly<Record<string, () => Promise<Role>>> = {
  capture: async () => (await import('./capture-role.ts')).captureRole,
  archive: async () => (await import('./archive-role.ts')).archiveRole,
  hot: async () => (await import('./hot-role.ts')).hotRole,
  catalogue: async () => (await import('./catalogue-role.ts')).catalogueRole,
  api: async () => (await import('./api-role.ts')).apiRole,
  gateway: async () => (await import('./gateway-role.ts')).gatewayRole,
  payments: async () => (await import('./payments-role.ts')).paymentsRole,
  prober: async () => (await import('./prober-role.ts')).proberRole,
  files: async () => (await import('./files-role.ts')).filesRole,
}

/** With `STREAM_IN_API` the API serves streams, so no gateway is needed. */
export function allRoles({ STREAM_IN_API }: Config): string[] {
  return Object.keys(ROLES).filter((name) => name !== 'gateway' || !STREAM_IN_API)
}
