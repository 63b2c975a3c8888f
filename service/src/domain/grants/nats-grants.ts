import type { Grantee } from './login-names.ts'

export interface NatsGrants {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
  /** Exceptions from `publish`. */
  readonly refused?: readonly string[]
}

const NOTHING: NatsGrants = { publish: [], subscribe: [] }
const WATCH: NatsGrants = { publish: [], subscribe: ['pulse.*.*'] }

/** To consume a durable consumer: find it, ask for messages, acknowledge them. */
const consumes = (stream: string, consumer: string): string[] => [
  `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
  `$JS.ACK.${stream}.${consumer}.>`,
]

/** To open a key-value bucket, which the first process creates, and to read and write its keys. */
const bucket = (name: string): string[] => [
  `$JS.API.STREAM.CREATE.KV_${name}`,
  `$JS.API.STREAM.INFO.KV_${name}`,
  `$JS.API.STREAM.UPDATE.KV_${name}`,
  `$JS.API.STREAM.MSG.GET.KV_${name}`,
  `$JS.API.DIRECT.GET.KV_${name}.>`,
  `$KV.${name}.>`,
]

/** To be told of every change of its keys as well. */
const watchesBucket = (name: string): string[] => [
  ...bucket(name),
  `$JS.API.CONSUMER.CREATE.KV_${name}.>`,
  `$JS.API.CONSUMER.INFO.KV_${name}.*`,
  `$JS.API.CONSUMER.DELETE.KV_${name}.*`,
  '$JS.FC.>',
]

/** To read the keys of a bucket that another role has created. */
const readsBucket = (name: string): string[] => [`$JS.API.STREAM.INFO.KV_${name}`, `$JS.API.STREAM.MSG.GET.KV_${name}`]

const MARKET_CONSUMERS = ['catalogue', 'facts']

/**
 * To follow the updates of markets with consumers that nobody shares, and to see what the role `catalogue` has stored.
 * Names of consumers have no prefix that NATS could compare, so the consumers of other roles are excepted.
 */
const FOLLOW_MARKETS = {
  publish: [
    '$JS.API.STREAM.INFO.markets',
    ...['CREATE', 'INFO', 'MSG.NEXT', 'DELETE'].map((act) => `$JS.API.CONSUMER.${act}.markets.*`),
  ],
  refused: ['CREATE', 'MSG.NEXT', 'DELETE'].flatMap((act) =>
    MARKET_CONSUMERS.map((name) => `$JS.API.CONSUMER.${act}.markets.${name}`),
  ),
}

/** What a process that serves the recorded markets needs. */
const SERVES: NatsGrants = {
  publish: [...readsBucket('shard-states'), ...FOLLOW_MARKETS.publish],
  subscribe: ['snap.*.*', 'market.>', ...WATCH.subscribe],
  refused: FOLLOW_MARKETS.refused,
}

/** Subjects of each role, besides its own inbox and heartbeat. */
export const NATS_GRANTS: Readonly<Record<Grantee, NatsGrants>> = {
  capture: {
    publish: [
      'snap.*.*',
      'fence.*.*',
      'market.>',
      '$JS.API.INFO',
      'ended.*',
      '$JS.API.STREAM.MSG.GET.markets',
      ...FOLLOW_MARKETS.publish,
      // The markets of one venue.
      '$JS.API.CONSUMER.CREATE.markets.*.market.>',
      ...watchesBucket('shard-leases'),
      ...bucket('shard-states'),
      ...bucket('market-intervals'),
    ],
    subscribe: ['ended.*', 'stored.*.*'],
    refused: [
      ...FOLLOW_MARKETS.refused,
      ...MARKET_CONSUMERS.map((name) => `$JS.API.CONSUMER.CREATE.markets.${name}.>`),
    ],
  },
  // Only streams of rows have a consumer of this name.
  archive: { publish: ['dead.*.*', '$JS.API.STREAM.NAMES', ...consumes('*', 'archive')], subscribe: [] },
  hot: {
    publish: ['$JS.API.INFO', '$JS.API.STREAM.NAMES', '$JS.API.STREAM.INFO.*', ...bucket('hot-leases')],
    subscribe: ['snap.*.*'],
  },
  catalogue: {
    publish: [...consumes('markets', 'catalogue'), ...consumes('markets', 'facts')],
    subscribe: [],
  },
  // Operators see how many dead letters there are.
  api: { ...SERVES, publish: [...SERVES.publish, '$JS.API.STREAM.INFO.dead'] },
  gateway: SERVES,
  payments: NOTHING,
  prober: NOTHING,
  files: { publish: ['$JS.API.INFO', ...bucket('task-leases')], subscribe: [] },
  operator: {
    publish: [
      '$JS.API.STREAM.INFO.dead',
      '$JS.API.STREAM.MSG.GET.dead',
      '$JS.API.STREAM.MSG.DELETE.dead',
      '$JS.API.INFO',
      '$JS.API.STREAM.NAMES',
      '$JS.API.STREAM.INFO.*',
      ...bucket('shard-leases'),
      ...bucket('shard-states'),
      'fence.*.*',
    ],
    subscribe: ['snap.*.*', ...WATCH.subscribe],
  },
}

/** Every process publishes its heartbeat. */
export const HEARTBEAT_SUBJECT = 'pulse.>'

/** Replies to a user come under this prefix, so that no user can read those of another. */
export function inboxOf(user: string): string {
  return `_INBOX.${user}`
}
