/**
 * Loaded into a process before its program: its wall clock, and nothing else, can be set by a message from the
 * parent. Timers and the monotonic clock stay what they are, as when someone sets the time of a machine.
 */
const RealDate = Date
let aheadMs = Number(new URL(import.meta.url).searchParams.get('aheadMs'))

class SteppedDate extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [SteppedDate.now()] : given) as [number]))
  }

  static override now(): number {
    return RealDate.now() + aheadMs
  }
}

Object.assign(globalThis, { Date: SteppedDate })
process.on('message', ({ wallAheadMs }: { wallAheadMs: number }) => {
  aheadMs = wallAheadMs
})
process.channel?.unref()
