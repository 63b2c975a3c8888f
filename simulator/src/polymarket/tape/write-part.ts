import { World, type WorldOptions } from '../../world/world.ts'
import { feedFrames } from '../feed-frames.ts'
import { RecordWriter } from './tape-records.ts'

/** The worlds that tapes can be written for: without habits, frames depend on nothing but the world. */
export type TapedWorld = Pick<WorldOptions, 'seed' | 'startMs' | 'size'>

export interface PartOrder {
  world: TapedWorld
  endMs: number
  /** Which part, of how many. */
  part: number
  partCount: number
}

const NO_HABITS = new Set<never>()

/** Runs the world and writes the frames of the markets of one part. */
export function writePart(
  { world: options, endMs, part, partCount }: PartOrder,
  onBlock: (block: Uint8Array<ArrayBuffer>) => void,
): void {
  const writer = new RecordWriter(onBlock)
  const world = new World(options, (happening) => {
    const { kind, market, atMs } = happening
    if (kind === 'created' || market.order % partCount !== part) return
    const frames = feedFrames(happening, { stampMs: atMs, behaviours: NO_HABITS })
    writer.add(
      { order: market.order, atMs },
      frames.map(({ outcome, isCustom, write }) => ({ outcome, isCustom, text: write() })),
    )
  })
  world.advance(endMs)
  writer.flush()
}
