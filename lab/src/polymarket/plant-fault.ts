export const faultKinds = ['flipped size', 'dropped frame', 'swapped hashes'] as const

export type FaultKind = (typeof faultKinds)[number]

/** The frames of one batch with a planted fault in the frame at `index`. */
export function plantFault(frames: readonly string[], kind: FaultKind, index: number): string[] {
  return frames.flatMap((frame, at) => {
    if (at !== index) return [frame]
    const event = JSON.parse(frame) as { price_changes: { size: string; hash: string }[] }
    const [first, second] = event.price_changes
    if (!first || !second) throw new Error('a price change of both tokens is expected')
    switch (kind) {
      case 'flipped size':
        first.size = first.size === '4242.42' ? '4242.43' : '4242.42'
        break
      case 'dropped frame':
        return []
      case 'swapped hashes':
        ;[first.hash, second.hash] = [second.hash, first.hash]
        break
    }
    return [JSON.stringify(event)]
  })
}
