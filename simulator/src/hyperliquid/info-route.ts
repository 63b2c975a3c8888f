import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { COINS } from '../world/spot.ts'
import type { World } from '../world/world.ts'
import { assetContext, bookData, mids } from './perp-data.ts'
import { DELISTED_COIN, type PerpMarket, perpCoin } from './perp-market.ts'

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
      return [meta(), COINS.map((coin) => assetContext(perps, coin, nowMs))]
    case 'allMids':
      return mids(perps, nowMs)
    case 'recentTrades': {
      const coin = perpCoin(request.coin ?? '')
      return coin === undefined ? null : perps.recentTrades(coin, nowMs)
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

export function infoRoute(app: FastifyInstance, world: World, perps: PerpMarket): void {
  app.post('/info', ({ body }, reply) => {
    const answer = answerInfo(body, perps, world.nowMs)
    if (answer === undefined)
      return reply.code(422).type('text/plain').send('Failed to deserialize the JSON body into the target type')
    return reply.type('application/json').send(JSON.stringify(answer))
  })
}
