import type { Grantee } from './login-names.ts'

export interface NatsGrants {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
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

/** To read the keys of a bucket that another role has created. */
const readsBucket = (name: string): string[] => [`$JS.API.STREAM.INFO.KV_${name}`, `$JS.API.STREAM.MSG.GET.KV_${name}`]

/** Subjects of each role, besides its own inbox and heartbeat. */
export const NATS_GRANTS: Readonly<Record<Grantee, NatsGrants>> = {
  capture: {
    publish: [
      'snap.*.*',
      'fence.*.*',
      'market.>',
      '$JS.API.INFO',
      '$JS.API.STREAM.INFO.markets',
      '$JS.API.STREAM.MSG.GET.markets',
      ...bucket('shard-leases'),
      ...bucket('shard-states'),
      ...bucket('market-intervals'),
    ],
    subscribe: [],
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
  api: { publish: readsBucket('shard-states'), subscribe: ['snap.*.*', 'market.>', ...WATCH.subscribe] },
  gateway: { publish: readsBucket('shard-states'), subscribe: ['snap.*.*', 'market.>', ...WATCH.subscribe] },
  payments: NOTHING,
  prober: NOTHING,
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
