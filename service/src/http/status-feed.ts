import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import type { ProbedService } from '../domain/probe.ts'
import { incidentList, type ServiceIncident } from '../endpoints/platform/incident-list.ts'
import type { Stores } from '../endpoints/stores.ts'

const STATUS_FEED = '/v1/status.atom'

export interface StatusFeedOptions {
  readonly uptime: Stores['uptime']
  readonly clock: Clock
  /** Address of the service, for links; without it they are relative. */
  readonly origin: string | undefined
}

interface FeedContent {
  readonly origin: string | undefined
  readonly incidents: readonly ServiceIncident[]
  readonly nowMs: number
}

const MOST_ENTRIES = 100
const TYPE = 'application/atom+xml; charset=utf-8'
const CACHE_CONTROL = 'public, max-age=10, s-maxage=10'
const DAY_MS = 86_400_000
const NAMES: Readonly<Record<ProbedService, string>> = {
  api: 'API',
  analytics_store: 'History',
  cache: 'Live books',
  pipeline: 'Recording',
  websocket: 'Streams',
  accounts: 'Accounts',
}

/** Adds the incidents of the last 90 days as an Atom feed (RFC 4287). */
export function addStatusFeed(app: FastifyInstance, { uptime, clock, origin }: StatusFeedOptions): void {
  app.get(STATUS_FEED, async (request, reply) => {
    const nowMs = clock()
    const { value } = await uptime.read(nowMs)
    const incidents = incidentList(value, MOST_ENTRIES)
    const feed = statusFeed({ origin, incidents, nowMs })
    const etag = `"${createHash('sha256').update(feed).digest('base64url')}"`
    reply.headers({ 'cache-control': CACHE_CONTROL, etag })
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    return reply.type(TYPE).send(feed)
  })
}

/** Without an incident the feed changes once a day, so that readers see that it is alive. */
export function statusFeed({ origin, incidents, nowMs }: FeedContent): string {
  const times = incidents.map(({ startedAtMs, endedAtMs }) => endedAtMs ?? startedAtMs)
  const updatedMs = Math.max(Math.floor(nowMs / DAY_MS) * DAY_MS, ...times)
  const page = addressOf('/app/status', origin)
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${uuidOf(`status of ${origin ?? 'a service'}`)}</id>
  <title>Bookreel: incidents</title>
  <updated>${instant(updatedMs)}</updated>
  <author><name>Bookreel</name></author>
  <link rel="self" type="application/atom+xml" href="${escaped(addressOf(STATUS_FEED, origin))}"/>
  <link rel="alternate" type="text/html" href="${escaped(page)}"/>
${incidents.map((incident) => entryOf(incident, page)).join('')}</feed>
`
}

function entryOf({ service, startedAtMs, endedAtMs }: ServiceIncident, page: string): string {
  const name = NAMES[service]
  const title = endedAtMs === undefined ? `${name}: not working` : `${name}: works again`
  const began = `${name} failed its probes from ${instant(startedAtMs)} on.`
  const end = endedAtMs === undefined ? ' It still fails.' : ` It worked again at ${instant(endedAtMs)}.`
  return `  <entry>
    <id>${uuidOf(`incident of ${service} at ${startedAtMs}`)}</id>
    <title>${escaped(title)}</title>
    <published>${instant(startedAtMs)}</published>
    <updated>${instant(endedAtMs ?? startedAtMs)}</updated>
    <link rel="alternate" type="text/html" href="${escaped(page)}"/>
    <category term="${service}"/>
    <content type="text">${escaped(began + end)}</content>
  </entry>
`
}

/** The same name has the same id on every node, also after a restart. */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`]
  return `urn:uuid:${[...parts, hex.slice(20, 32)].join('-')}`
}

function addressOf(path: string, origin: string | undefined): string {
  return origin === undefined ? path : new URL(path, origin).href
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString()
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
