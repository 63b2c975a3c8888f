import type { SimulatorProcess } from '../simulator-process.ts'
import { contextText, type Span, type Tape, tradeText } from './tape.ts'

interface ToldTrade {
  readonly tid: number
  readonly side: 'A' | 'B'
  readonly px: string
  readonly sz: string
  readonly time: number
}

interface ToldContext {
  readonly time: number
  readonly ctx: {
    readonly funding: string
    readonly premium: string
    readonly openInterest: string
    readonly markPx: string
    readonly oraclePx: string
    readonly midPx: string
  }
}

/** What the simulated venue told or would have told, also while no socket was open. Contexts: one for each second. */
export async function toldTape(simulator: SimulatorProcess, coin: string, { fromMs, toMs }: Span): Promise<Tape> {
  const ask = async <Item>(what: string): Promise<Item[]> => {
    const answer = await fetch(`${simulator.addresses.admin}/perps/${what}?coin=${coin}&from=${fromMs}&to=${toMs}`)
    if (!answer.ok) throw new Error(`the simulator did not tell ${what} of ${coin}: ${await answer.text()}`)
    return (await answer.json()) as Item[]
  }
  const [trades, contexts] = await Promise.all([ask<ToldTrade>('trades'), ask<ToldContext>('contexts')])
  return {
    trades: trades.map(({ tid: id, side, px, sz, time: atMs }) => ({
      id,
      atMs,
      text: tradeText(id, side === 'B' ? 'buy' : 'sell', Number(px), Number(sz), atMs),
    })),
    contexts: contexts.map(({ time: atMs, ctx }) => {
      const { funding, premium, openInterest, markPx, oraclePx, midPx } = ctx
      return { atMs, text: contextText([funding, premium, openInterest, markPx, oraclePx, midPx].map(Number)) }
    }),
  }
}
