import type { Bookreel, Channel, Selector, StreamEvent, StreamOptions } from '@bookreel/sdk'
import { type Invocation, throwIfInterrupted } from '../invocation.ts'
import { selectorOf } from '../market-reference.ts'
import type { OnOtherWindow } from '../other-window.ts'
import { eventLine, type NameOf } from '../render/event-line.ts'
import { shortId } from '../render/text.ts'

export const CHANNELS = ['book', 'bbo', 'trade', 'context', 'market', 'status'] as const satisfies readonly Channel[]

export interface FollowOptions {
  channels: Channel[]
  depth?: number
  interval?: number
}

/** The request for a stream or a replay, and the names that its markets get in the output. */
export interface FollowRequest {
  readonly request: { readonly selectors: Selector[]; readonly channels: Channel[]; readonly options: StreamOptions }
  readonly names: MarketNames
}

/** Frames carry market ids; printed lines show the names that the user typed. */
export class MarketNames {
  readonly #ofSelector = new Map<string, string>()
  readonly #ofMarket = new Map<string, string>()
  #width = 0

  setName(selector: Selector, name: string): void {
    if (name !== '') this.#ofSelector.set(JSON.stringify(selector), name)
  }

  update(event: StreamEvent): void {
    if (event.type === 'connected' || event.type === 'reconnected') {
      for (const { selector, markets } of event.accepted) for (const market of markets) this.#keep(selector, market)
    }
    if (event.type === 'rolled' && event.selector !== undefined) this.#keep(event.selector, event.market)
  }

  /** Padded to the longest name so far, so that the columns line up. */
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

export async function followRequest(
  client: Bookreel,
  markets: readonly string[],
  { channels, depth, interval }: FollowOptions,
  onOtherWindow: OnOtherWindow,
): Promise<FollowRequest> {
  const names = new MarketNames()
  const found = await Promise.all(markets.map((market) => selectorOf(client, market, onOtherWindow)))
  for (const { selector, name } of found) names.setName(selector, name)
  const options = { ...(depth !== undefined && { depth }), ...(interval !== undefined && { interval_ms: interval }) }
  return { request: { selectors: found.map(({ selector }) => selector), channels, options }, names }
}

/** Prints one line for each event until the stream ends. */
export async function printEvents(
  { terminal, isJson, signal }: Invocation,
  events: AsyncIterable<StreamEvent>,
  names: MarketNames,
): Promise<void> {
  const { paint } = terminal
  for await (const event of events) {
    names.update(event)
    if (isJson) terminal.json(event)
    else terminal.line(eventLine(event, names.of, paint))
  }
  throwIfInterrupted(signal)
}
