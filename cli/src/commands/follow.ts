import type { Bookreel, Channel, Selector, StreamEvent, StreamOptions } from '@bookreel/sdk'
import { type Invocation, throwIfInterrupted } from '../invocation.ts'
import { selectorOf } from '../market-reference.ts'
import { eventLine, type NameOf } from '../render/event-line.ts'
import { shortId } from '../render/text.ts'

export const CHANNELS = ['book', 'bbo', 'trade', 'market', 'status'] as const satisfies readonly Channel[]

export interface FollowOptions {
  channels: Channel[]
  depth?: number
  interval?: number
}

/** What to ask a stream or a replay for, and what its markets are called. */
export interface Followed {
  readonly request: { readonly selectors: Selector[]; readonly channels: Channel[]; readonly options: StreamOptions }
  readonly names: Names
}

/** Frames carry ids; lines have the names by which markets were asked for. */
export class Names {
  readonly #ofSelector = new Map<string, string>()
  readonly #ofMarket = new Map<string, string>()
  #width = 0

  call(selector: Selector, name: string): void {
    if (name !== '') this.#ofSelector.set(JSON.stringify(selector), name)
  }

  note(event: StreamEvent): void {
    if (event.type === 'connected' || event.type === 'reconnected') {
      for (const { selector, markets } of event.accepted) for (const market of markets) this.#keep(selector, market)
    }
    if (event.type === 'rolled' && event.selector !== undefined) this.#keep(event.selector, event.market)
  }

  /** As wide as the widest so far, so that what follows stands in columns. */
  readonly of: NameOf = (market) => {
    const name = this.#ofMarket.get(market) ?? shortId(market)
    this.#width = Math.max(this.#width, name.length)
    return name.padEnd(this.#width)
  }

  #keep(selector: Selector, market: string): void {
    const name = this.#ofSelector.get(JSON.stringify(selector))
    if (name !== undefined) this.#ofMarket.set(market, name)
  }
}

export async function followed(
  client: Bookreel,
  markets: readonly string[],
  { channels, depth, interval }: FollowOptions,
): Promise<Followed> {
  const names = new Names()
  const found = await Promise.all(markets.map((market) => selectorOf(client, market)))
  for (const { selector, name } of found) names.call(selector, name)
  const options = { ...(depth !== undefined && { depth }), ...(interval !== undefined && { interval_ms: interval }) }
  return { request: { selectors: found.map(({ selector }) => selector), channels, options }, names }
}

/** One line for each event, until they end. */
export async function printEvents(
  { terminal, isJson, signal }: Invocation,
  events: AsyncIterable<StreamEvent>,
  names: Names,
): Promise<void> {
  const { paint } = terminal
  for await (const event of events) {
    names.note(event)
    if (isJson) terminal.json(event)
    else terminal.line(eventLine(event, names.of, paint))
  }
  throwIfInterrupted(signal)
}
