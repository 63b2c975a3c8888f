import type { RoleContext } from './role.ts'

const NO_PROXY =
  'HTTPS is required, but no proxy is trusted to report it, so only health checks are answered. Set TRUSTED_PROXIES to the address of the proxy that ends TLS, or REQUIRE_HTTPS=false'

/** For the roles that callers connect to. */
export function warnWithoutProxy({ config, log }: Pick<RoleContext, 'config' | 'log'>): void {
  if (config.REQUIRE_HTTPS && config.TRUSTED_PROXIES.length === 0) log.warn(NO_PROXY)
}
