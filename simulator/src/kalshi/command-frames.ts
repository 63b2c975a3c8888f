import { z } from 'zod'

const Tickers = {
  market_ticker: z.string().optional(),
  market_tickers: z.array(z.string()).optional(),
}

const Params = z.object({
  channels: z.array(z.string()).optional(),
  ...Tickers,
  sid: z.int().optional(),
  sids: z.array(z.int()).optional(),
  action: z.string().optional(),
  use_yes_price: z.boolean().optional(),
  send_initial_snapshot: z.boolean().optional(),
  skip_ticker_ack: z.boolean().optional(),
})
export type Params = z.infer<typeof Params>

const Command = z.object({ id: z.int().optional(), cmd: z.string(), params: Params.optional() })
export type Command = z.infer<typeof Command>

/** Texts of the errors, by code. */
const ERRORS = {
  1: 'Unable to process message',
  2: 'Params required',
  3: 'Channels required',
  4: 'Subscription IDs required',
  5: 'Unknown command',
  7: 'Unknown subscription ID',
  8: 'Unknown channel name',
  12: 'Exactly one subscription ID is required',
  13: 'Unsupported action',
  14: 'Market Ticker required',
  15: 'Action required',
  25: 'Subscription buffer overflow',
} as const
export type ErrorCode = keyof typeof ERRORS

/** The end of an error frame. */
export function errorTail(code: ErrorCode): string {
  return `"msg":{"code":${code},"msg":"${ERRORS[code]}"}}`
}

/** The command, or undefined for anything that is none. */
export function parseCommand(text: string): Command | undefined {
  try {
    return Command.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

export function tickersIn({ market_ticker: one, market_tickers: several = [] }: Params): string[] {
  return one === undefined ? several : [one, ...several]
}
