import { z } from 'zod'
import { bboChannel } from '../channels/bbo.ts'
import { bookChannel } from '../channels/book.ts'
import { contextChannel } from '../channels/context.ts'
import { marketChannel } from '../channels/market.ts'
import { statusChannel } from '../channels/status.ts'
import { tradeChannel } from '../channels/trade.ts'

/** Every channel of `/v1/stream`. Protocol, replays and the SDK are derived from this list. */
const ALL_CHANNELS = [bookChannel, bboChannel, tradeChannel, contextChannel, marketChannel, statusChannel] as const

export type Channel = (typeof ALL_CHANNELS)[number]['name']
export const Channel = z.enum(ALL_CHANNELS.map(({ name }) => name)).meta({ id: 'Channel' })

type FramesOf<Kind> = Kind extends { frames: infer Frames } ? Frames[keyof Frames] : never
type ChannelFrame = FramesOf<(typeof ALL_CHANNELS)[number]>

/** The frames that only one channel sends, by name, in the order of the channels. */
export const CHANNEL_FRAMES = Object.fromEntries(
  ALL_CHANNELS.flatMap(({ frames }) => Object.entries<ChannelFrame>(frames)),
)
/** Channels whose frames are rows, and have gaps. */
export const RowChannel = z.enum(
  ALL_CHANNELS.filter((kind) => kind.replays === 'rows').map(({ name }) => name as 'book' | 'bbo'),
)

export function channelKind(name: Channel): (typeof ALL_CHANNELS)[number] {
  const kind = ALL_CHANNELS.find((each) => each.name === name)
  if (kind === undefined) throw new Error(`unknown channel ${name}`)
  return kind
}
