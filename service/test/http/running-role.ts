import { Writable } from 'node:stream'
import type { TestService } from '@bookreel/testbed/service/test-service'
import { settingsFor } from '@bookreel/testbed/stacks/test-logins'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { apiRole } from '../../src/roles/api-role.ts'
import type { Role } from '../../src/roles/role.ts'

/** A role as `bookreel-server run` starts it. */
interface RunningRole {
  readonly lines: readonly Record<string, unknown>[]
  stop(): Promise<unknown>
}

export interface RunningApi extends RunningRole {
  readonly url: string
}

/** In production mode, with the login of the API, over the stores of a test service. */
export function startRole(service: TestService, role: Role, settings: Record<string, string>): RunningRole {
  const { KEY_PEPPER = '' } = service.config
  const config = readConfig({
    ...service.stack.variables,
    ...settingsFor(service.stack, 'api'),
    NODE_ENV: 'production',
    KEY_PEPPER,
    HTTP_PORT: '0',
    GATEWAY_PORT: '0',
    ...settings,
  })
  const lines: Record<string, unknown>[] = []
  const output = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const stop = new AbortController()
  const running = role({ config, log: pino(output), registry: new Registry() }, stop.signal)
  return {
    lines,
    stop() {
      stop.abort()
      return running
    },
  }
}

export async function startApi(service: TestService, settings: Record<string, string>): Promise<RunningApi> {
  const api = startRole(service, apiRole, settings)
  const url = await vi.waitUntil(
    () => api.lines.find(({ msg }) => msg === 'HTTP server listening')?.address as string | undefined,
    { timeout: 120_000 },
  )
  return { ...api, url }
}
