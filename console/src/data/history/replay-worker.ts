/** Plays a replay beside the page, so that reading frames never delays drawing. */
import { FrameCache } from './frame-cache.ts'
import { Player } from './player.ts'
import { ReplayFeed } from './replay-feed.ts'
import type { ReplayCommand, ReplayFailure, ReplayRange, ReplayStatus, SlotBook, TokenSide } from './replay-messages.ts'
import { ServiceReplay } from './service-replay.ts'
import type { Speed } from './speeds.ts'

const CACHE_BYTES = 64_000_000
/** Twenty pictures a second are more than eyes can tell apart. */
const TICK_MS = 50

const worker = self as unknown as {
  onmessage: ((event: MessageEvent<ReplayCommand>) => void) | null
  postMessage(message: ReplayStatus): void
}

const cache = new FrameCache(CACHE_BYTES)
const feed = new ReplayFeed(cache)
let player: Player | undefined
let replay: ServiceReplay | undefined
let side: TokenSide = 'up'
let speed: Speed = 1
let failure: ReplayFailure | undefined
let told = ''
let commands = 0

worker.onmessage = ({ data }) => {
  commands++
  obey(data)
  tell()
}

setInterval(() => {
  player?.tick()
  if (player !== undefined && told !== signature(player)) tell()
}, TICK_MS)

function obey(command: ReplayCommand): void {
  switch (command.kind) {
    case 'range':
      player?.close()
      replay = undefined
      failure = undefined
      player = playerOf(command.range)
      player.setSpeed(speed)
      player.moveTo(command.slot)
      break
    case 'side':
      side = command.side
      feed.show(command.side, command.levels)
      break
    case 'move':
      failure = undefined
      player?.moveTo(command.slot)
      break
    case 'play':
      failure = undefined
      player?.play()
      break
    case 'pause':
      player?.pause()
      break
    case 'speed':
      speed = command.speed
      player?.setSpeed(speed)
  }
}

function playerOf({ market, intervalMs, firstSlot, lastSlot, missing }: ReplayRange): Player {
  for (const { fromSlot, toSlot } of missing)
    cache.putMissing(Math.max(fromSlot, firstSlot), Math.min(toSlot, lastSlot))
  const created: Player = new Player({
    cache,
    intervalMs,
    firstSlot,
    lastSlot,
    nowMs: () => performance.now(),
    open: (fromSlot, atSpeed) => {
      const request = { market, intervalMs, firstSlot: fromSlot, lastSlot, speed: atSpeed }
      const opened = new ServiceReplay(request, feed, {
        onSlot: (slot) => created.received(slot),
        onEnd: (why) => {
          if (opened === replay) replay = undefined
          failure = why
          created.ended(why === undefined)
          if (created === player) tell()
        },
      })
      replay = opened
      return opened
    },
  })
  return created
}

/** Changes whenever there is something to tell. */
function signature({ state, slot, firstUnknown }: Player): string {
  return `${state} ${slot} ${firstUnknown} ${replay?.creditsLeft}`
}

function tell(): void {
  if (player === undefined) return
  told = signature(player)
  const { state, slot, firstUnknown } = player
  const isCovered = firstUnknown !== undefined && player.covers(firstUnknown)
  worker.postMessage({
    commands,
    state,
    slot,
    book: bookOf(slot),
    firstUnknown,
    creditsLeft: isCovered ? replay?.creditsLeft : undefined,
    columns: feed.takeColumns(),
    failure,
  })
}

function bookOf(slot: number): SlotBook | null | undefined {
  const packed = cache.get(slot)
  if (packed === null || packed === undefined) return packed
  return { ...packed.side(side), capturedAt: packed.capturedAt, flags: packed.flags }
}
