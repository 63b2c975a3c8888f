import type { Login } from './login-names.ts'

export interface EngineAddresses {
  readonly DATABASE_URL: string
  readonly REDIS_URL: string
}

/** The settings with which a process uses its login. An engine in which the login has no user refuses it. */
export function settingsOf({ user, password }: Login, { DATABASE_URL, REDIS_URL }: EngineAddresses) {
  return {
    DATABASE_URL: withLogin(DATABASE_URL, user, password),
    REDIS_URL: REDIS_URL.split(',')
      .map((address) => withLogin(address, user, password))
      .join(','),
    NATS_USER: user,
    NATS_PASSWORD: password,
    CLICKHOUSE_USER: user,
    CLICKHOUSE_PASSWORD: password,
    CLICKHOUSE_READER_USER: user,
    CLICKHOUSE_READER_PASSWORD: password,
  }
}

function withLogin(address: string, user: string, password: string): string {
  const url = new URL(address)
  url.username = user
  url.password = password
  return url.href
}
