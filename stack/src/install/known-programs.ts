import type { Suite } from './private-apt.ts'

/** A program that the stack needs, and its Debian package. */
export interface KnownProgram {
  readonly title: string
  readonly file: string
  readonly packageName: string
  readonly suite: Suite
  /** Folders where Debian puts it, besides those of PATH. */
  readonly folders: readonly string[]
  /** Advice for a manual installation. */
  readonly howToInstall: string
  readonly accepts: (version: { major: number; minor: number }) => boolean
  /** Default: `--version`. */
  readonly versionOption?: string
}

const postgres: KnownProgram = {
  title: 'PostgreSQL 15',
  file: 'postgres',
  packageName: 'postgresql-15',
  suite: 'machine',
  folders: ['/usr/lib/postgresql/15/bin'],
  howToInstall: 'apt-get install postgresql-15',
  accepts: ({ major }) => major === 15,
}

const redisServer: KnownProgram = {
  title: 'Redis 7',
  file: 'redis-server',
  packageName: 'redis-server',
  suite: 'machine',
  folders: ['/usr/bin'],
  howToInstall: 'apt-get install redis-server',
  accepts: ({ major }) => major === 7,
}

const natsServer: KnownProgram = {
  title: 'NATS 2.12 or newer',
  file: 'nats-server',
  packageName: 'nats-server',
  // Debian 12 itself has 2.9, which rejects `sync_interval` and can lose acknowledged messages.
  suite: 'sid',
  folders: ['/usr/sbin'],
  howToInstall:
    'put nats-server 2.12 or newer into a folder of PATH (Debian 12 has 2.9, which is too old):\n' +
    '  https://github.com/nats-io/nats-server/releases',
  accepts: ({ major, minor }) => major === 2 && minor >= 12,
}

/** For tests only: counts system calls of an engine. */
const strace: KnownProgram = {
  title: 'strace',
  file: 'strace',
  packageName: 'strace',
  suite: 'machine',
  folders: ['/usr/bin'],
  howToInstall: 'apt-get install strace',
  accepts: () => true,
}

/** For tests only: opens our web pages. */
const chromium: KnownProgram = {
  title: 'Chromium',
  file: 'chromium',
  packageName: 'chromium',
  suite: 'machine',
  // Not /usr/bin/chromium, which is a script that starts this program.
  folders: ['/usr/lib/chromium'],
  howToInstall: 'apt-get install chromium',
  accepts: () => true,
}

/** For tests only: the proxy of `deploy/haproxy.cfg`. */
const haproxy: KnownProgram = {
  title: 'HAProxy 2.6 or newer',
  file: 'haproxy',
  packageName: 'haproxy',
  suite: 'machine',
  folders: ['/usr/sbin'],
  howToInstall: 'apt-get install haproxy',
  accepts: ({ major, minor }) => major > 2 || (major === 2 && minor >= 6),
  versionOption: '-v',
}

export const KNOWN_PROGRAMS = { postgres, redisServer, natsServer, strace, chromium, haproxy } as const
export type ProgramName = keyof typeof KNOWN_PROGRAMS
