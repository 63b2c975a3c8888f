import type { Config } from '../config.ts'
import { apiRole } from './api-role.ts'
import { archiveRole } from './archive-role.ts'
import { captureRole } from './capture-role.ts'
import { catalogueRole } from './catalogue-role.ts'
import { gatewayRole } from './gateway-role.ts'
import { hotRole } from './hot-role.ts'
import { paymentsRole } from './payments-role.ts'
import { proberRole } from './prober-role.ts'
import type { Role } from './role.ts'

export const ROLES: Readonly<Record<string, Role>> = {
  capture: captureRole,
  archive: archiveRole,
  hot: hotRole,
  catalogue: catalogueRole,
  api: apiRole,
  gateway: gatewayRole,
  payments: paymentsRole,
  prober: proberRole,
}

/** With `STREAM_IN_API` the API serves streams, so no gateway is needed. */
export function allRoles({ STREAM_IN_API }: Config): string[] {
  return Object.keys(ROLES).filter((name) => name !== 'gateway' || !STREAM_IN_API)
}
