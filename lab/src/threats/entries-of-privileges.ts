import type { ThreatEntry } from './threat-entry.ts'

const REFUSED = 'service/test/logins/refused.test.ts'

export const ENTRIES_OF_PRIVILEGES: readonly ThreatEntry[] = [
  {
    id: 'T15',
    defence: 'PostgreSQL lets the login of the API read the ledger and add nothing to it',
    removal: {
      file: 'service/src/domain/grants/postgres-grants.ts',
      text: "  ledger: 'SELECT',\n  paid_months",
      replacement: "  ledger: 'SELECT, INSERT',\n  paid_months",
    },
    test: { file: REFUSED, name: 'PostgreSQL refuses the API credits, tiers and the data of people' },
  },
  {
    id: 'T15',
    defence: 'the free credits of an account are at most those of the tier, whatever the API asks for',
    removal: {
      file: 'service/migrations/postgres/0016-free-credits.sql',
      text: "least(free_credits, (SELECT monthly_credits FROM tiers WHERE tier = 'free'))",
      replacement: 'free_credits',
    },
    test: { file: REFUSED, name: 'the API cannot name the free credits of an account' },
  },
  {
    id: 'T15',
    defence: 'only the operator may erase an account',
    removal: {
      file: 'service/src/domain/grants/postgres-grants.ts',
      text: "  erase_account: ['operator'],",
      replacement: "  erase_account: ['operator', 'api'],",
    },
    test: { file: REFUSED, name: 'only the operator may erase an account' },
  },
  {
    id: 'T30',
    defence: 'only its owner can read the dump of PostgreSQL in a backup',
    removal: {
      file: 'service/src/stores/engines/postgres-backup.ts',
      text: "    await writeFile(unfinished, '', { mode: 0o600 })\n",
      replacement: '',
    },
    test: { file: 'service/test/commands/backup.test.ts', name: 'only its owner can read a backup' },
  },
  {
    id: 'T30',
    defence: 'a rotation keeps the former logins until they are retired',
    removal: {
      file: 'service/src/commands/login-files.ts',
      text: 'return { [newest]: current, [newest + 1]: newPasswords() }',
      replacement: 'return { [newest + 1]: newPasswords() }',
    },
    test: {
      file: 'service/test/logins/login-commands.nightly.test.ts',
      name: 'after rotate both logins work in all engines; after retire only the new one',
    },
  },
  {
    id: 'I30',
    defence: 'no login may change or delete entries of the ledger, events or callbacks',
    removal: {
      file: 'service/src/domain/grants/postgres-grants.ts',
      text: "    payment_events: 'SELECT, INSERT, UPDATE (times, last_at)',",
      replacement: "    payment_events: 'SELECT, INSERT, UPDATE',",
    },
    test: { file: REFUSED, name: 'changes the ledger, events or callbacks' },
  },
  {
    id: 'T14',
    defence: 'the ClickHouse user of the API has bounds for a query that it cannot raise',
    removal: {
      file: 'service/src/domain/grants/login-configs.ts',
      text: '<min>1</min><max>${most}</max>',
      replacement: '',
    },
    test: { file: REFUSED, name: 'ClickHouse refuses that the API writes, or raises the bounds of a query' },
  },
  {
    id: 'T30',
    defence: 'the users of Redis have no command about the server or about all keys',
    removal: {
      file: 'service/src/domain/grants/redis-grants.ts',
      text: "  '-@dangerous',\n",
      replacement: '',
    },
    test: { file: REFUSED, name: 'Redis refuses commands about all keys or the server, and keys of other roles' },
  },
  {
    id: 'T30',
    defence: 'the users of NATS publish only the subjects of their roles',
    removal: {
      file: 'service/src/domain/grants/nats-grants.ts',
      text: "...bucket('hot-leases')",
      replacement: "'>'",
    },
    test: { file: REFUSED, name: 'NATS refuses subjects of other roles' },
  },
  {
    id: 'T30',
    defence: 'a process does not start when an engine on another machine would be used without TLS',
    removal: {
      file: 'service/src/config.ts',
      text: 'config.ALLOW_PLAIN_ENGINES ? [] : plainEngines(config)',
      replacement: 'plainEngines(config).slice(0, 0)',
    },
    test: { file: 'service/src/config.test.ts', name: 'an engine on another machine needs TLS' },
  },
  {
    id: 'T30',
    defence: 'an address of NATS that asks for TLS is never used without it',
    removal: {
      file: 'service/src/bus/connect.ts',
      text: "...(url.startsWith('tls:') && { tls: {} }),",
      replacement: '',
    },
    test: {
      file: 'service/test/logins/encrypted.nightly.test.ts',
      name: 'a NATS server that offers no TLS is refused when the address asks for it',
    },
  },
  {
    id: 'T32',
    defence: 'npm runs no install script of a package',
    removal: { file: '.npmrc', text: 'ignore-scripts=true', replacement: 'ignore-scripts=false' },
    test: { file: 'test/house.test.ts', name: 'no package brings an install script that nobody has read' },
  },
]
