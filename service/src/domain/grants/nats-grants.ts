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

/** To read a stream from any message on, with a consumer that only this connection uses. */
const readsInOrder = (stream: string): string[] => [
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.CREATE.${stream}`,
  `$JS.API.CONSUMER.INFO.${stream}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
  `$JS.API.CONSUMER.DELETE.${stream}.*`,
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
      '$JS.API.STREAM.INFO.markets',
      '$JS.API.STREAM.MSG.GET.markets',
      ...readsInOrder('markets'),
      ...bucket('shard-leases'),
      ...readsInOrder('KV_shard-leases'),
      ...bucket('shard-states'),
      ...bucket('market-intervals'),
    ],
    subscribe: ['ended.*', 'stored.*.*'],
  },
  archive: { publish: ['dead.*.*', ...consumes('rows', 'archive')], subscribe: [] },
  hot: { publish: [], subscribe: ['snap.*.*'] },
  catalogue: {
    publish: [...consumes('markets', 'catalogue'), ...consumes('markets', 'facts')],
    subscribe: [],
  },
  api: SERVES,
  gateway: SERVES,
  payments: NOTHING,
  prober: NOTHING,
  operator: {
    publish: [
      '$JS.API.STREAM.INFO.dead',
      '$JS.API.STREAM.MSG.GET.dead',
      '$JS.API.STREAM.MSG.DELETE.dead',
      '$JS.API.INFO',
      '$JS.API.STREAM.INFO.rows',
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
