import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { SOON } from './console-scene.ts'
import { ofMap } from './live-map.ts'

interface Missing {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly cause: string
}

interface Range {
  readonly fromMs: number
  readonly toMs: number
}

const SLOT_MS = 250

/** Waits until a map has the same missing slots, with the same causes, as the list of the service, and returns the list. */
export async function untilGapsAgree(
  page: Page,
  range: Range,
  listed: () => Promise<{ gaps: readonly { from: string; to: string; cause: string }[] }>,
): Promise<Missing[]> {
  let gaps: Missing[] = []
  // The list is cut to what is stored, which is some seconds behind the stream.
  const agree = async () => {
    const report = await listed()
    gaps = report.gaps.map(({ from, to, cause }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to), cause }))
    const drawn = await ofMap<Missing[]>(page, `data.gaps.filter(({ kind }) => kind === 'missing')`)
    const slots = slotsOf(gaps, range)
    return slots.size > 0 && isDeepStrictEqual(slots, slotsOf(drawn, range))
  }
  await expect.poll(agree, SOON).toBe(true)
  return gaps
}

/** Slots without a row in a time. */
export function slotsIn(gaps: readonly Missing[], fromMs: number, toMs: number): number {
  return gaps.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(gap.toMs, toMs) - Math.max(gap.fromMs, fromMs)) / SLOT_MS,
    0,
  )
}

function slotsOf(gaps: readonly Missing[], { fromMs, toMs }: Range): Map<number, string> {
  const slots = new Map<number, string>()
  for (const gap of gaps)
    for (let atMs = Math.max(gap.fromMs, fromMs); atMs < Math.min(gap.toMs, toMs); atMs += SLOT_MS)
      slots.set(atMs, gap.cause)
  return slots
}
