import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { endedMarketsQuery, marketSearchQuery } from '../../data/market-search-queries.ts'
import controls from '../../views/controls.module.css'
import { Panel } from '../../views/page.tsx'
import { Segments } from '../../views/segments.tsx'
import { useDebounced } from '../../views/use-debounced.ts'
import { Problem } from '../../views/view.tsx'
import { capitalised, plainText } from '../../words/formats.ts'
import styles from './downloads.module.css'
import {
  CATEGORIES,
  type DownloadsSearch,
  INTERVALS,
  idsOf,
  isMarketId,
  PRODUCTS,
  SIDES,
  TIMEFRAMES,
  VENUES,
} from './downloads-search.ts'

interface StepProps {
  readonly search: DownloadsSearch
  readonly onChange: (search: DownloadsSearch) => void
}

const MODES = ['series', 'markets', 'category'] as const
const MODE_TEXTS = { series: 'Series of a coin', markets: 'Single markets', category: 'Category' } as const
const PRODUCT_TEXTS = {
  hours: 'Hours (Parquet)',
  snapshots: 'Snapshots (pages)',
  bars: 'Bars (csv)',
  trades: 'Trades (csv)',
} as const
const COINS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC'] as const
const TYPING_MS = 300
const MIN_SEARCH = 2

export function WhatStep({ search, onChange }: StepProps): ReactNode {
  const { product = 'hours', from, to } = search
  const time = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  const kept = { ...(product !== 'hours' && { product }), ...time }
  const mode = search.markets !== undefined ? 'markets' : search.category === undefined ? 'series' : 'category'
  const { done: _, ...chosen } = search
  return (
    <Panel title="1. What">
      <div className={styles.fields}>
        <Segments
          label="Product"
          options={PRODUCTS}
          chosen={product}
          text={(each) => PRODUCT_TEXTS[each]}
          searchFor={(each) => ({ ...chosen, product: each })}
        />
        <Segments
          label="Markets"
          options={MODES}
          chosen={mode}
          text={(each) => MODE_TEXTS[each]}
          searchFor={(each) => ({ ...kept, ...START_OF[each] })}
        />
        {product === 'bars' && <BarFields search={chosen} />}
        {mode === 'series' && <SeriesFields search={chosen} onChange={onChange} />}
        {mode === 'markets' && <MarketFields search={chosen} onChange={onChange} />}
        {mode === 'category' && <CategoryField search={chosen} onChange={onChange} />}
        {mode !== 'markets' && <VenueField search={chosen} onChange={onChange} />}
      </div>
    </Panel>
  )
}

function BarFields({ search }: Pick<StepProps, 'search'>): ReactNode {
  const { side = 'UP', interval = '1m' } = search
  return (
    <div className={controls.row}>
      <Segments
        label="Token"
        options={SIDES}
        chosen={side}
        text={(each) => each}
        searchFor={(each) => ({ ...search, side: each })}
      />
      <Segments
        label="Length of a bar"
        options={INTERVALS}
        chosen={interval}
        text={(each) => each}
        searchFor={(each) => ({ ...search, interval: each })}
      />
    </div>
  )
}

const START_OF: Readonly<Record<(typeof MODES)[number], DownloadsSearch>> = {
  series: {},
  markets: { markets: ',' },
  category: { category: 'sports' },
}

function SeriesFields({ search, onChange }: StepProps): ReactNode {
  const { coin = 'BTC', timeframe = '5m' } = search
  const id = useId()
  return (
    <div className={styles.pair}>
      <div className={controls.field}>
        <label htmlFor={id}>Coin</label>
        <input
          id={id}
          className={controls.input}
          list={`${id}-coins`}
          defaultValue={coin}
          autoComplete="off"
          onChange={({ target }) =>
            onChange({ ...search, coin: target.value.trim().toUpperCase() || 'BTC', timeframe })
          }
        />
        <datalist id={`${id}-coins`}>
          {COINS.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </div>
      <label className={controls.field}>
        <span className={controls.label}>Timeframe</span>
        <select
          className={controls.input}
          value={timeframe}
          onChange={({ target }) => onChange({ ...search, coin, timeframe: target.value })}
        >
          {TIMEFRAMES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </div>
  )
}

function CategoryField({ search, onChange }: StepProps): ReactNode {
  return (
    <label className={controls.field}>
      <span className={controls.label}>Category</span>
      <select
        className={controls.input}
        value={search.category}
        onChange={({ target }) => {
          const category = CATEGORIES.find((each) => each === target.value)
          if (category !== undefined) onChange({ ...search, category })
        }}
      >
        {CATEGORIES.map((each) => (
          <option key={each} value={each}>
            {capitalised(each)}
          </option>
        ))}
      </select>
    </label>
  )
}

function VenueField({ search: { venue, ...search }, onChange }: StepProps): ReactNode {
  return (
    <label className={controls.field}>
      <span className={controls.label}>Venue</span>
      <select
        className={controls.input}
        value={venue ?? ''}
        onChange={({ target }) => {
          const chosen = VENUES.find((each) => each === target.value)
          onChange(chosen === undefined ? search : { ...search, venue: chosen })
        }}
      >
        <option value="">All venues</option>
        {VENUES.map((each) => (
          <option key={each} value={each}>
            {capitalised(each)}
          </option>
        ))}
      </select>
    </label>
  )
}

function MarketFields({ search, onChange }: StepProps): ReactNode {
  const id = useId()
  const [text, setText] = useState('')
  const ids = idsOf(search.markets ?? '')
  const wanted = useDebounced(text.trim(), TYPING_MS)
  const isSearched = wanted.length >= MIN_SEARCH && !isMarketId(wanted)
  const present = useQuery({ ...marketSearchQuery(wanted), enabled: isSearched })
  const ended = useQuery({ ...endedMarketsQuery(wanted), enabled: isSearched })
  const error = present.error ?? ended.error
  const choose = (next: readonly string[]): void => onChange({ ...search, markets: next.join(',') || ',' })
  const add = (market: string): void => {
    choose([...ids, market])
    setText('')
  }
  const found = isSearched ? [...(ended.data ?? []), ...(present.data ?? [])] : []
  const hits = found.filter((each) => !ids.includes(each.id))
  return (
    <div className={styles.fields}>
      <div className={controls.field}>
        <label htmlFor={id}>Find a market, or paste its id</label>
        <input
          id={id}
          className={controls.input}
          value={text}
          autoComplete="off"
          onChange={({ target }) => {
            if (isMarketId(target.value.trim())) add(target.value.trim())
            else setText(target.value)
          }}
        />
      </div>
      <ul className={styles.hits}>
        {hits.map(({ id: market, question, slug, status }) => (
          <li key={market}>
            <button type="button" className={controls.plain} onClick={() => add(market)}>
              Add <bdi>{plainText(question)}</bdi>
            </button>
            <span className={controls.hint}>
              {status} · <bdi>{plainText(slug)}</bdi>
            </span>
          </li>
        ))}
      </ul>
      {isSearched && !present.isFetching && !ended.isFetching && error === null && hits.length === 0 && (
        <p className={controls.hint}>No market has these words.</p>
      )}
      {isSearched && error !== null && <Problem error={error} />}
      <ul className={styles.chosen} aria-label="Chosen markets">
        {ids.map((market) => (
          <li key={market}>
            <code>{market}</code>
            <button
              type="button"
              className={controls.plain}
              aria-label={`Remove ${market}`}
              onClick={() => choose(ids.filter((each) => each !== market))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
