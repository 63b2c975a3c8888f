import type { ExecutionPrice } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { executionQuery, type Order } from '../../data/live-queries.ts'
import controls from '../../views/controls.module.css'
import { useDebounced } from '../../views/use-debounced.ts'
import { View } from '../../views/view.tsx'
import { centsText, sizeText } from '../../words/market-texts.ts'
import styles from './execution-box.module.css'
import type { MarketSide } from './market-search.ts'

export interface TakenLevels {
  readonly side: 'bid' | 'ask'
  readonly worstPrice: number
}

interface ExecutionProps {
  readonly marketId: string
  readonly side: MarketSide
  /** A time in the past, or what to say while it is not chosen; without it the book of now counts. */
  readonly moment?: { readonly atMs?: number; readonly wait?: string }
  readonly onTaken: (taken: TakenLevels | undefined) => void
}

const TYPING_MS = 150

/** What an order would cost with the book of now or of a past moment. Nothing is ordered. */
export function ExecutionBox({ marketId, side, moment, onTaken }: ExecutionProps): ReactNode {
  const [action, setAction] = useState<Order['action']>('buy')
  const [unit, setUnit] = useState<Order['unit']>('shares')
  const [text, setText] = useState('100')
  const amount = useDebounced(Number(text), TYPING_MS)
  const { atMs, wait } = moment ?? {}
  const isAmount = Number.isFinite(amount) && amount > 0
  const isAsked = isAmount && wait === undefined
  const price = useQuery({ ...executionQuery(marketId, { side, action, amount, unit, atMs }), enabled: isAsked })
  const worst = isAsked ? price.data?.worst_price : undefined
  useEffect(() => {
    onTaken(
      worst === undefined || worst === null ? undefined : { side: action === 'buy' ? 'ask' : 'bid', worstPrice: worst },
    )
  }, [worst, action, onTaken])
  return (
    <section className={styles.box} aria-label="Price of an order">
      <h2>Price of an order</h2>
      <div className={styles.form}>
        <select
          aria-label="Action"
          value={action}
          onChange={({ target }) => setAction(target.value as Order['action'])}
        >
          <option value="buy">Buy</option>
          <option value="sell">Sell</option>
        </select>
        <input
          className={controls.input}
          inputMode="decimal"
          aria-label="Amount"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <select aria-label="Unit" value={unit} onChange={({ target }) => setUnit(target.value as Order['unit'])}>
          <option value="shares">shares</option>
          <option value="usd">USD</option>
        </select>
      </div>
      <div className={styles.result}>
        {isAsked && <View of={price}>{(found) => <Result price={found} unit={unit} />}</View>}
        {!isAsked && <p>{isAmount ? wait : 'Enter an amount above 0.'}</p>}
      </div>
    </section>
  )
}

function Result({ price, unit }: { readonly price: ExecutionPrice; readonly unit: Order['unit'] }): ReactNode {
  const { vwap, worst_price: worst, slippage, unfilled, complete } = price
  if (vwap === null) return <p>The book has nothing to fill this order with.</p>
  const rest = complete ? 'nothing' : `${sizeText(unfilled)} ${unit === 'usd' ? 'USD' : 'shares'}`
  const figures = [
    ['Mean', vwap.toFixed(4)],
    ['Worst', worst === null ? '–' : centsText(worst)],
    ['Slippage', slippage === null ? '–' : `${(slippage * 100).toFixed(2)}¢`],
    ['Unfilled', rest],
  ] as const
  return (
    <dl>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
