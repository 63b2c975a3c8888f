import { type ReactNode, useCallback, useState } from 'react'
import { usePreferences } from '../../data/preferences.ts'
import { axisTimeText } from '../../words/market-texts.ts'
import { tradesText } from '../../words/trades-text.ts'
import { usePaint } from '../use-paint.ts'
import { type HeatMapData, MOST_TRADES } from './heat-map-data.ts'
import type { HeatViewport } from './heat-viewport.ts'

interface TradesNoteProps {
  readonly data: HeatMapData
  readonly view: HeatViewport
}

/** From when on the map shows trades, when that is not all of what is on the screen. */
export function TradesNote({ data, view }: TradesNoteProps): ReactNode {
  const [text, setText] = useState('')
  const { zone } = usePreferences()
  usePaint(
    data,
    useCallback(() => {
      const { tradesFromMs, isFullOfTrades: isFull, unknownTrades } = data
      const isTold = tradesFromMs > view.fromMs && (isFull || unknownTrades.why === 'failed')
      setText(isTold ? tradesText(axisTimeText(tradesFromMs, zone), { isFull, most: MOST_TRADES }) : '')
    }, [data, view, zone]),
  )
  return text === '' ? null : <p>{text}</p>
}
