import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useId } from 'react'
import { categoriesQuery } from '../../data/catalogue-queries.ts'
import controls from '../../views/controls.module.css'
import { useIsNarrow } from '../../views/use-is-narrow.ts'
import { capitalised, numberText } from '../../words/formats.ts'
import { CATEGORIES, COINS, TIMEFRAMES } from './filter-choices.ts'
import styles from './markets.module.css'
import { activeFilters, type MarketsSearch, statusesOf, withFilter } from './markets-search.ts'
import { useTierCategories } from './use-tier-categories.ts'

interface FiltersProps {
  readonly search: MarketsSearch
  readonly box: RefObject<HTMLElement | null>
}

export function Filters({ search, box }: FiltersProps): ReactNode {
  const isNarrow = useIsNarrow()
  const count = activeFilters(search).length
  return (
    <aside ref={box} className={styles.filters} aria-label="Filters">
      {isNarrow ? (
        <details className={styles.folded}>
          <summary className={controls.button}>{count === 0 ? 'Filters' : `Filters (${count} set)`}</summary>
          <Fields search={search} />
        </details>
      ) : (
        <Fields search={search} />
      )}
    </aside>
  )
}

function Fields({ search }: { readonly search: MarketsSearch }): ReactNode {
  const navigate = useNavigate({ from: '/markets' })
  const set = (changes: Parameters<typeof withFilter>[1]): void =>
    void navigate({ search: withFilter(search, changes), replace: true })
  const { view, q, coin, timeframe, status, subcategory, complete } = search
  return (
    <div className={styles.fields}>
      <CategoryList search={search} />
      <Choice name="Coin" value={coin} options={COINS} onChange={(value) => set({ coin: value })} />
      <Choice name="Timeframe" value={timeframe} options={TIMEFRAMES} onChange={(value) => set({ timeframe: value })} />
      <Choice
        name="Status"
        value={status}
        options={statusesOf(view, q !== undefined)}
        all={view === 'ever' ? 'all' : 'live and upcoming'}
        onChange={(value) => set({ status: value })}
      />
      {/* Another address has another text, which the field then shows. */}
      <Subcategory key={subcategory ?? ''} value={subcategory} onChange={(value) => set({ subcategory: value })} />
      {view === 'ever' && (
        <label className={controls.choice}>
          <input
            type="checkbox"
            checked={complete === true}
            onChange={({ target }) => set({ complete: target.checked ? true : undefined })}
          />
          Only complete
          <span className={controls.hint}>no slot is missing</span>
        </label>
      )}
      {activeFilters(search).length > 0 && (
        <Link to="/markets" search={view === 'ever' ? { view } : {}} replace className={controls.plain}>
          Remove all filters
        </Link>
      )}
    </div>
  )
}

/** Links, so that each is a part of the address; categories of other tiers have a lock. */
function CategoryList({ search }: { readonly search: MarketsSearch }): ReactNode {
  const { data: plans } = useQuery(categoriesQuery)
  const { isLocked, tiersWith } = useTierCategories()
  const countOf = (category: string): number | undefined =>
    plans?.filter((plan) => plan.category === category).reduce((sum, { activeMarkets }) => sum + activeMarkets, 0)
  const id = useId()
  return (
    <div className={controls.field}>
      <span className={controls.label} id={id}>
        Category
      </span>
      <ul className={styles.categories} aria-labelledby={id}>
        {[undefined, ...CATEGORIES].map((category) => {
          const locked = category !== undefined && isLocked(category)
          const count = category === undefined ? undefined : countOf(category)
          return (
            <li key={category ?? 'all'}>
              <Link
                to="/markets"
                search={withFilter(search, { category })}
                replace
                activeOptions={{ exact: true }}
                activeProps={{}}
                aria-current={category === search.category ? 'true' : undefined}
                title={locked ? `Included in ${tiersWith(category)}` : undefined}
              >
                <span>{category === undefined ? 'All' : capitalised(category)}</span>
                {locked && <Lock />}
                <span className={styles.count}>{count === undefined ? '' : numberText(count)}</span>
              </Link>
            </li>
          )
        })}
      </ul>
      <span className={controls.hint}>live and upcoming markets</span>
    </div>
  )
}

function Lock(): ReactNode {
  return (
    <svg className={styles.lock} viewBox="0 0 12 14" role="img" aria-label="in another tier">
      <path d="M3 6V4a3 3 0 0 1 6 0v2" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <rect x="1" y="6" width="10" height="7" rx="1.5" fill="currentColor" />
    </svg>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly value: string | undefined
  readonly options: readonly string[]
  /** What no choice means. */
  readonly all?: string
  readonly onChange: (value: string | undefined) => void
}

function Choice({ name, value, options, all = 'all', onChange }: ChoiceProps): ReactNode {
  const id = useId()
  return (
    <div className={controls.field}>
      <label htmlFor={id}>{name}</label>
      <select
        id={id}
        className={controls.input}
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      >
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </div>
  )
}

/** Applied with Enter, or when the field is left: every list costs a request. */
function Subcategory({ value, onChange }: Pick<ChoiceProps, 'value' | 'onChange'>): ReactNode {
  const id = useId()
  const apply = (text: string): void => {
    if (text.trim() !== (value ?? '')) onChange(text.trim() === '' ? undefined : text.trim())
  }
  return (
    <div className={controls.field}>
      <label htmlFor={id}>Subcategory</label>
      <input
        id={id}
        className={controls.input}
        defaultValue={value}
        maxLength={64}
        placeholder="NBA, London, BTC …"
        onBlur={({ target }) => apply(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') apply(event.currentTarget.value)
        }}
      />
    </div>
  )
}
