import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import {
  HISTORY_PATH,
  LIVE_PATH,
  liveMarketsQuery,
  recordedMarketsQuery,
  SEARCH_PATH,
} from '../../data/catalogue-queries.ts'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import controls from '../../views/controls.module.css'
import { KeysHelp } from '../../views/keys-help.tsx'
import { CsvButton } from '../../views/list-actions.tsx'
import { Page } from '../../views/page.tsx'
import { View } from '../../views/view.tsx'
import { numberText } from '../../words/formats.ts'
import { EverTable } from './ever-table.tsx'
import { Filters } from './filters.tsx'
import { lastPlace, rememberSearch } from './last-place.ts'
import styles from './markets.module.css'
import { historyParameters, liveParameters, type MarketsSearch, PAGE_ROWS } from './markets-search.ts'
import { NowTable } from './now-table.tsx'
import { LIST_KEYS, useListKeys } from './use-list-keys.ts'
import { useTierCategories } from './use-tier-categories.ts'
import { LockedCategory, WhyEmpty } from './why-empty.tsx'
import { WordSearch } from './word-search.tsx'

export function MarketsPage(): ReactNode {
  return (
    <SignInGate
      title="Markets"
      purpose="Sign in to see the markets that are recorded, their prices and how complete they are."
    >
      <Catalogue />
    </SignInGate>
  )
}

function Catalogue(): ReactNode {
  const search = useSearch({ from: '/markets' })
  const rows = useRef<HTMLDivElement>(null)
  const filters = useRef<HTMLElement>(null)
  const { isLocked } = useTierCategories()
  useListKeys({ rows, filters })
  useEffect(() => rememberSearch(search), [search])
  const { category } = search
  return (
    <Page title="Markets" action={<Tabs search={search} />}>
      <div className={styles.catalogue}>
        <Filters search={search} box={filters} />
        <div ref={rows} className={styles.rows}>
          <WordSearch search={search} />
          {category !== undefined && isLocked(category) ? (
            <LockedCategory category={category} />
          ) : search.view === 'ever' ? (
            <Ever search={search} box={rows} />
          ) : (
            <Now search={search} box={rows} />
          )}
          <p className={styles.keys}>
            <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>f</kbd> goes to the filters{' '}
            <KeysHelp keys={LIST_KEYS} />
          </p>
        </div>
      </div>
    </Page>
  )
}

const VIEWS = [
  { view: undefined, name: 'Now' },
  { view: 'ever', name: 'Ever recorded' },
] as const

/** The filters that both views have stay. */
function Tabs({ search }: { readonly search: MarketsSearch }): ReactNode {
  const { view: chosen, page: _page, cursor: _cursor, complete: _complete, status: _status, ...filters } = search
  return (
    <nav className={controls.segments} aria-label="Which markets">
      {VIEWS.map(({ view, name }) => (
        <Link
          key={name}
          to="/markets"
          search={view === undefined ? filters : { ...filters, view }}
          activeOptions={{ exact: true }}
          activeProps={{}}
          aria-current={view === chosen ? 'true' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** The service skips no more; filters lead further. */
const MAX_OFFSET = 10_000
/** Most rows of a page of the search; without it the service sends fewer. */
const SEARCH_ROWS = '100'

interface ListProps {
  readonly search: MarketsSearch
  readonly box: React.RefObject<HTMLElement | null>
}

function Now({ search, box }: ListProps): ReactNode {
  const parameters = liveParameters(search)
  const list = useQuery(liveMarketsQuery(parameters))
  useLastMarket(box, list.data !== undefined)
  const { page = 1 } = search
  const first = (page - 1) * PAGE_ROWS + 1
  return (
    <View
      of={list}
      empty={({ markets, emptyReason }) =>
        markets.length === 0 ? <WhyEmpty search={search} reason={emptyReason} /> : undefined
      }
    >
      {({ markets, total }) => (
        <div className={styles.list} aria-busy={list.isPlaceholderData}>
          <NowTable markets={markets} box={box} />
          <nav className={styles.pages} aria-label="Pages">
            <span>
              {numberText(first)}–{numberText(first + markets.length - 1)} of {numberText(total)}
            </span>
            {page > 1 && <PageLink search={{ ...search, page: page - 1 }} text="Previous" />}
            {first + markets.length - 1 < total && page * PAGE_ROWS <= MAX_OFFSET && (
              <PageLink search={{ ...search, page: page + 1 }} text="Next" />
            )}
            {search.q === undefined ? (
              <CsvButton path={LIVE_PATH} query={allRows(parameters)} name="markets" />
            ) : (
              <CsvButton path={SEARCH_PATH} query={{ ...allRows(parameters), limit: SEARCH_ROWS }} name="markets" />
            )}
          </nav>
        </div>
      )}
    </View>
  )
}

function Ever({ search, box }: ListProps): ReactNode {
  const parameters = historyParameters(search)
  const list = useQuery(recordedMarketsQuery(parameters))
  useLastMarket(box, list.data !== undefined)
  const { cursor: _cursor, ...first } = search
  return (
    <View
      of={list}
      empty={({ markets, empty_reason: reason }) =>
        markets.length === 0 ? <WhyEmpty search={search} reason={reason} /> : undefined
      }
    >
      {({ markets, total_markets: total, total_snapshots: snapshots, next_cursor: next }) => (
        <div className={styles.list} aria-busy={list.isPlaceholderData}>
          <EverTable markets={markets} />
          <nav className={styles.pages} aria-label="Pages">
            <span>
              {numberText(total)} {total === 1 ? 'market' : 'markets'} with {numberText(snapshots)} snapshots
            </span>
            {search.cursor !== undefined && <PageLink search={first} text="First page" />}
            {next !== null && <PageLink search={{ ...search, cursor: next }} text="Next" />}
            <CsvButton path={HISTORY_PATH} query={allRows(parameters)} name="recorded-markets" />
          </nav>
        </div>
      )}
    </View>
  )
}

/** The same list without its pages. */
function allRows(parameters: URLSearchParams): Record<string, string> {
  const { limit: _limit, offset: _offset, cursor: _cursor, ...filters } = Object.fromEntries(parameters)
  return filters
}

function PageLink({ search, text }: { readonly search: MarketsSearch; readonly text: string }): ReactNode {
  return (
    <Link to="/markets" search={search} className={controls.button}>
      {text}
    </Link>
  )
}

/** Back in the list, the focus is on the market that was opened. */
function useLastMarket(box: ListProps['box'], isReady: boolean): void {
  useEffect(() => {
    const { market } = lastPlace()
    if (!isReady || market === undefined) return
    box.current?.querySelector<HTMLElement>(`a[data-market="${CSS.escape(market)}"]`)?.focus()
  }, [box, isReady])
}
