/**
 * Imported into a process before its program: a message from the parent sets the wall clock. Timers and the
 * monotonic clock don't change, as when somebody sets the time of a machine.
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
