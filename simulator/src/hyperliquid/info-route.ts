import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { COINS } from '../world/spot.ts'
import type { World } from '../world/world.ts'
import { assetContext, DELISTED_CONTEXT } from './perp-context.ts'
import { bookData, mids } from './perp-data.ts'
import { DELISTED_COIN, type PerpMarket, perpCoin } from './perp-market.ts'

const MINUTE_MS = 60_000
const InfoRequest = z.object({ type: z.string(), coin: z.string().optional() })

/** Answers an `info` request from REST or a socket; undefined for an unknown request. */
export function answerInfo(body: unknown, perps: PerpMarket, nowMs: number): unknown {
  const { data: request } = InfoRequest.safeParse(body)
  switch (request?.type) {
    case 'l2Book':
      return request.coin === undefined ? undefined : (bookData(perps, request.coin, nowMs) ?? null)
    case 'meta':
      return meta()
    case 'metaAndAssetCtxs':
      return [meta(), [...COINS.map((coin) => assetContext(perps, coin, nowMs)), DELISTED_CONTEXT]]
    case 'allMids':
      return mids(perps, nowMs)
    case 'recentTrades': {
      const coin = perpCoin(request.coin ?? '')
      return coin === undefined ? null : perps.recentTrades(coin, nowMs, 10)
    }
    case 'exchangeStatus':
      return { time: nowMs, specialStatuses: null }
    default:
      return undefined
  }
}

/** The index in the universe is the asset id; a delisted coin keeps its index. */
function meta(): object {
  return {
    universe: [
      ...COINS.map(({ symbol, perpSizeDecimals }) => ({
        szDecimals: perpSizeDecimals,
        name: symbol,
        maxLeverage: symbol === 'BTC' ? 40 : 20,
      })),
      { szDecimals: 1, name: DELISTED_COIN, maxLeverage: 20, isDelisted: true },
    ],
  }
}

/** The answer, with the rules of this world. */
function broken(body: unknown, answer: unknown, { broken: rules }: World): unknown {
  const { type } = (body ?? {}) as { type?: string }
  if (type === 'meta' && rules.has('hyperliquid.coins-listed'))
    return JSON.parse(JSON.stringify(answer).replace('"name":"HYPE"', '"name":"HYPE","isDelisted":true'))
  if (type !== 'l2Book') return answer
  if (answer === null && rules.has('hyperliquid.rest-unknown-coin')) return {}
  if (answer !== null && rules.has('hyperliquid.rest-books'))
    return { ...(answer as { time: number }), time: (answer as { time: number }).time - MINUTE_MS }
  return answer
}

export function infoRoute(app: FastifyInstance, world: World, perps: PerpMarket): void {
  app.post('/info', ({ body }, reply) => {
    const answer = broken(body, answerInfo(body, perps, world.nowMs), world)
    if (answer === undefined)
      return reply.code(422).type('text/plain').send('Failed to deserialize the JSON body into the target type')
    return reply.type('application/json').send(JSON.stringify(answer))
  })
}
