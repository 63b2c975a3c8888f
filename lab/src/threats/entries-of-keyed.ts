import type { ThreatEntry } from './threat-entry.ts'

export const ENTRIES_OF_KEYED: readonly ThreatEntry[] = [
  {
    id: 'T22',
    defence: 'Every frame of a client counts against the limit of its connection.',
    removal: {
      file: 'service/src/gateway/connection/stream-limits.ts',
      text: 'const CONNECTION_FRAMES = { rpm: FRAMES_PER_SECOND * 60, burst: 40 }',
      replacement: 'const CONNECTION_FRAMES = { rpm: FRAMES_PER_SECOND * 60, burst: 40_000 }',
    },
    test: {
      file: 'service/test/gateway/entry.test.ts',
      name: 'do not block the process, and end with a reason',
    },
  },
  {
    id: 'T22',
    defence: 'The frames of all connections of an account count together.',
    removal: {
      file: 'service/src/gateway/connection/stream-limits.ts',
      text: '    this.#limits.takeFrame(this.#accountId)\n',
      replacement: '',
    },
    test: {
      file: 'service/test/gateway/entry.test.ts',
      name: 'of all connections of an account count together',
    },
  },
  {
    id: 'T16',
    defence: 'Selectors of unknown markets ask the databases a limited number of times.',
    removal: {
      file: 'service/src/gateway/connection/connection.ts',
      text: '() => limits.takeLookup(caller.accountId)',
      replacement: '() => {}',
    },
    test: {
      file: 'service/test/gateway/entry.test.ts',
      name: 'with unknown selectors ask the databases a limited number of times',
    },
  },
  {
    id: 'T22',
    defence: 'Frames that wait for the answers to earlier ones are limited.',
    removal: {
      file: 'service/src/gateway/connection/connection.ts',
      text: 'this.#waitingFrames >= MAX_WAITING_FRAMES',
      replacement: 'this.#waitingFrames < 0',
    },
    test: {
      file: 'service/test/gateway/entry.test.ts',
      name: 'that wait for the answer to an earlier one are limited',
    },
  },
  {
    id: 'T16',
    defence: 'HEAD writes no export file.',
    removal: {
      file: 'service/src/endpoints/shared/hour-export.ts',
      text: 'if (!isMade) return',
      replacement: 'if (false) return',
    },
    test: {
      file: 'service/test/http/export.test.ts',
      name: 'HEAD returns the counts and writes no file',
    },
  },
  {
    id: 'I33',
    defence: 'A node assumes that the others use all of the rate while Redis is late for it.',
    removal: {
      file: 'service/src/access/rate-share.ts',
      text: 'this.#limit.note(accountId, verdict.resetMs + OTHERS_USE_REDIS_MS)',
      replacement: 'this.#limit.note(accountId, 0)',
    },
    test: {
      file: 'service/test/access/redis-away.nightly.test.ts',
      name: 'three nodes together never admit more than burst + rate',
    },
  },
  {
    id: 'T22',
    defence: 'Reads of stored rows wait in a queue with a bound.',
    removal: {
      file: 'service/src/gateway/markets/market-store.ts',
      text: 'this.#reads.size >= MAX_WAITING_READS',
      replacement: 'this.#reads.size < 0',
    },
    test: {
      file: 'service/src/gateway/markets/market-store.test.ts',
      name: 'reads and counts wait in queues with a bound',
    },
  },
  {
    id: 'T16',
    defence: 'The place of a request is kept until its work has ended.',
    removal: {
      file: 'service/src/access/account-concurrency.ts',
      text: '        await Promise.allSettled(held)\n',
      replacement: '',
    },
    test: {
      file: 'service/src/access/account-concurrency.test.ts',
      name: 'a place is kept until what it started has ended',
    },
  },
  {
    id: 'I33',
    defence: 'Without Redis the rate is divided by the nodes that have heartbeats.',
    removal: {
      file: 'service/src/access/live-nodes.ts',
      text: 'if (live > 0) this.#lastKnown = live',
      replacement: 'if (live < 0) this.#lastKnown = live',
    },
    test: {
      file: 'service/src/access/live-nodes.test.ts',
      name: 'counts the nodes that have heartbeats',
    },
  },
  {
    id: 'T20',
    defence: 'Long work of many connections takes one turn in each iteration of the event loop.',
    removal: {
      file: 'service/src/gateway/connection/turns.ts',
      text: 'this.#waiting.shift()?.()',
      replacement: 'for (const resolve of this.#waiting.splice(0)) resolve()',
    },
    test: {
      file: 'service/src/gateway/connection/turns.test.ts',
      name: 'each iteration of the event loop has at most one turn, and all get theirs in order',
    },
  },
]
