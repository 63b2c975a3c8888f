import type { Grantee } from './login-names.ts'

const NEWEST_READS = '%R~newest:*'
const NEWEST = '~newest:*'
const PUBLIC_ANSWERS = '~public:*'
const CALLER_LIMITS = ['~rate:*', '~rv:*', '~ws:*', '~changed:*']
const SESSIONS = ['~session:*', '~sessions-of:*', '~session-owner:*', '~signed-in:*', '~open-session:*']
const TICKETS = '~stream-ticket:*'
/** Whether a session is open, not what it contains. */
const CONSOLE_STREAMS = ['~console-slot:*', '~open-session:*']

/** Keys that each role may use. A role with an empty list has no user in Redis. */
export const REDIS_KEYS: Readonly<Record<Grantee, readonly string[]>> = {
  capture: [],
  archive: [],
  hot: [NEWEST],
  catalogue: [],
  api: [NEWEST_READS, PUBLIC_ANSWERS, ...CALLER_LIMITS, ...SESSIONS, TICKETS, '~console-slot:*'],
  gateway: [NEWEST_READS, ...CALLER_LIMITS, TICKETS, ...CONSOLE_STREAMS],
  payments: [],
  prober: [],
  files: [],
  operator: [...CALLER_LIMITS, ...SESSIONS],
}

/** Commands of every user: reads and writes of its keys, scripts and transactions; nothing that concerns all keys. */
export const REDIS_COMMANDS = [
  '-@all',
  '+@read',
  '+@write',
  '+@transaction',
  '-@dangerous',
  '-scan',
  '-randomkey',
  '-dbsize',
  '+eval',
  '+evalsha',
  '+time',
  '+ping',
  '+hello',
  '+auth',
  // Where the keys of a cluster are, and a key that is being moved to another node.
  '+cluster|slots',
  '+asking',
]
