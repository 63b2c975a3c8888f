import { z } from 'zod'
import type { Category } from './domain/market.ts'
import { CAPTURE_INTERVAL_MS, CATEGORY_PLANS } from './domain/plan.ts'

const captureInterval = (category: Category) =>
  z.coerce
    .number()
    .int()
    .min(CAPTURE_INTERVAL_MS.min)
    .max(CAPTURE_INTERVAL_MS.max)
    .default(CATEGORY_PLANS.find((plan) => plan.category === category)?.captureIntervalMs ?? CAPTURE_INTERVAL_MS.max)

/** Settings of the role `capture` that belong to no venue. */
export const CAPTURE_SETTINGS = {
  CAPTURE_INTERVAL_MS_CRYPTO: captureInterval('crypto').describe(
    'milliseconds between two snapshots of a crypto market, 100 to 3000; a market that was already recorded keeps its interval. Set the same value for capture, catalogue and `prepare`',
  ),
  CAPTURE_INTERVAL_MS_SPORTS: captureInterval('sports').describe(
    'the same for sports markets; see CAPTURE_INTERVAL_MS_CRYPTO',
  ),
  CAPTURE_INTERVAL_MS_EQUITIES: captureInterval('equities').describe(
    'the same for equities markets; see CAPTURE_INTERVAL_MS_CRYPTO',
  ),
  CAPTURE_INTERVAL_MS_ECONOMICS: captureInterval('economics').describe(
    'the same for economics markets; see CAPTURE_INTERVAL_MS_CRYPTO',
  ),
  CAPTURE_INTERVAL_MS_SOCIAL: captureInterval('social').describe(
    'the same for social markets; see CAPTURE_INTERVAL_MS_CRYPTO',
  ),
  CAPTURE_INTERVAL_MS_WEATHER: captureInterval('weather').describe(
    'the same for weather markets; see CAPTURE_INTERVAL_MS_CRYPTO',
  ),
  CAPTURE_CAPACITY: z.coerce
    .number()
    .positive()
    .default(1)
    .describe(
      'how much this recorder can carry, compared with the other recorders: one with 2 gets twice as many shards as one with 1',
    ),
  CAPTURE_STANDBYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(4)
    .default(1)
    .describe(
      'recorders that follow each shard besides the one that records it, ready to go on without a missing slot; the same for all recorders',
    ),
  CAPTURE_SHED_ABOVE: z.coerce
    .number()
    .min(0.1)
    .max(1)
    .default(0.9)
    .describe(
      'share of its time that a recorder may be busy; above it for ten seconds, it stops recording the least important plan (their order: crypto, sports, equities, economics, social, weather) and writes gaps with the cause capturer_overloaded; 1 means never',
    ),
}
