import type { FastifyInstance } from 'fastify'
import type { BrokenRule } from '../world/broken-rules.ts'
import type { World } from '../world/world.ts'

interface ShownEvent {
  slug: string
  eventMetadata?: unknown
  markets: { slug: string; conditionId: string }[]
}

/** Rules that are broken by changing an event as the catalogue shows it. */
const CHANGES: Partial<Record<BrokenRule, (event: ShownEvent) => object>> = {
  'polymarket.listed-markets': (event) => ({
    ...event,
    markets: event.markets.map((market) =>
      isWindow(market.slug) ? market : { ...market, conditionId: market.conditionId.toUpperCase() },
    ),
  }),
  'polymarket.window-prices': (event) => ({ ...event, eventMetadata: undefined }),
}

/** Breaks rules of the catalogue and of the order book service, as far as that is possible from outside. */
export function breakCatalogue(app: FastifyInstance, world: World): void {
  const { broken, events } = world
  if (broken.size === 0) return
  const changes = [...broken].flatMap((rule) => CHANGES[rule] ?? [])
  const changed = (event: unknown): unknown =>
    changes.reduce((shown, change) => change(shown as ShownEvent), event as object)
  app.addHook('preSerialization', async (_request, _reply, payload: unknown) => {
    if (Array.isArray(payload) && broken.has('polymarket.result-in-catalogue')) return payload.map(withoutResult)
    const { events: listed, slug, markets } = (payload ?? {}) as Partial<ShownEvent> & { events?: unknown[] }
    if (listed !== undefined) return { ...(payload as object), events: listed.map(changed) }
    return slug !== undefined && markets !== undefined ? changed(payload) : payload
  })
  app.addHook('onRequest', async (request, reply) => {
    const slug = /\/events\/slug\/([^/?]+)/.exec(request.url)?.[1]
    const event = events.find((each) => each.slug === slug)
    const isOpenWindow = event?.markets[0]?.draft.window !== undefined && event.endMs > world.nowMs
    if (broken.has('polymarket.window-slugs') && isOpenWindow)
      return reply.code(404).send({ type: 'not found error', error: 'id not found' })
    return undefined
  })
}

function withoutResult(market: object): object {
  return 'outcomePrices' in market ? { ...market, outcomePrices: '["0.9995", "0.0005"]' } : market
}

function isWindow(slug: string): boolean {
  return slug.includes('updown') || slug.includes('up-or-down')
}
