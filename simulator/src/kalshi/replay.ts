import type { Intervention, KalshiHappening } from './happenings.ts'
import { KalshiWorld, type KalshiWorldOptions } from './kalshi-world.ts'

/**
 * Runs a world again up to that time, as fast as possible, and reports everything that it published. Truth for tests:
 * it goes through the same states as the world of a simulator with these options and interventions.
 */
export function replayKalshi(
  options: KalshiWorldOptions,
  interventions: readonly Intervention[],
  toMs: number,
  take: (happening: KalshiHappening, world: KalshiWorld) => void,
): KalshiWorld {
  const world: KalshiWorld = new KalshiWorld(options, (happening) => take(happening, world))
  for (const intervention of interventions) {
    if (intervention.atMs > toMs) break
    world.advance(intervention.atMs)
    world.intervene(intervention)
  }
  world.advance(toMs)
  return world
}
