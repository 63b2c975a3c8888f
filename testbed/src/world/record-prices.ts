import type { PriceBoard } from '@bookreel/service/capture/price-board'
import { decodeSpotFrame } from '@bookreel/service/venues/binance/decode'
import { decodePriceFrame } from '@bookreel/service/venues/rtds/decode'
import { spotBookTicker } from '@bookreel/simulator/binance/spot-quotes'
import { TOPIC_DELAY_MS, updateFrame } from '@bookreel/simulator/rtds/price-frames'
import { COINS, spotPrices } from '@bookreel/simulator/world/spot'
import type { RecordedPart, Recording, VirtualClock } from './recording.ts'
import { WORLD_SEED } from './world-times.ts'

const PRICED_COINS = COINS.filter(({ symbol }) => symbol === 'BTC' || symbol === 'ETH')
/** What the windows settle on. */
const SETTLING_TOPICS = ['crypto_prices_chainlink', 'crypto_prices_twap_sixty'] as const
const SECOND_MS = 1_000

/** Records the prices of two coins: those of the spot exchange, and those that windows settle on. */
export function recordPrices(recording: Recording, clock: VirtualClock, board: PriceBoard): RecordedPart {
  const recorder = recording.recorderOf('prices', clock)
  const spot = spotPrices(WORLD_SEED)
  const sentSecond = new Map<string, number>()
  return {
    advance(tickMs) {
      clock.nowMs = tickMs
      if (tickMs < recording.fromMs) return
      for (const coin of PRICED_COINS) {
        const { events } = decodeSpotFrame(JSON.stringify(spotBookTicker(spot, coin, tickMs)))
        for (const event of events) board.take(event, tickMs)
      }
      for (const topic of SETTLING_TOPICS) {
        const second = Math.floor((tickMs - TOPIC_DELAY_MS[topic]) / SECOND_MS)
        if (sentSecond.get(topic) === second) continue
        sentSecond.set(topic, second)
        for (const coin of PRICED_COINS) {
          const { events } = decodePriceFrame(updateFrame(spot, topic, coin, second * SECOND_MS, tickMs))
          for (const event of events) board.take(event, tickMs)
        }
      }
      for (const row of board.takeRows()) recorder.price(row)
      recorder.tick(tickMs)
    },
  }
}
