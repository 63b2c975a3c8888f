import { BookreelError } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { addressName } from '../data/market-address.ts'
import { endedMarketsQuery, marketSearchQuery } from '../data/market-search-queries.ts'
import { useSession, useSignedIn } from '../data/session.ts'
import { useDebounced } from '../views/use-debounced.ts'
import { useModal } from '../views/use-modal.ts'
import { plainText } from '../words/formats.ts'
import styles from './palette.module.css'
import { matchingPages, matchingSeries, type PaletteEntry } from './palette-entries.ts'

const MIN_SEARCH = 2
/** Every search counts for the rate of the account. */
const TYPING_MS = 200

/** Finds pages, documents and, for signed-in users, markets. */
export function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const listId = useId()
  const dialog = useModal()
  const { entries, state } = useEntries(text)
  const choose = useChoice(onClose)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && entries.length > 0) {
      event.preventDefault()
      setActive((active + step + entries.length) % entries.length)
    }
    const entry = entries[active]
    if (event.key === 'Enter' && entry !== undefined) choose(entry)
  }
  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label="Search"
      onCancel={onClose}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <input
        className={styles.input}
        role="combobox"
        aria-label="Search pages and markets"
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={entries[active] === undefined ? undefined : `${listId}-${active}`}
        placeholder="Search pages and markets"
        autoComplete="off"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Results" className={styles.list}>
        {entries.map((entry, index) => (
          // The focus stays in the search field, whose keys choose an entry.
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: see above
          <div
            key={entry.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            className={styles.entry}
            onMouseMove={() => setActive(index)}
            onClick={() => choose(entry)}
          >
            <bdi>{plainText(entry.name)}</bdi>
            <span className={styles.hint}>{entry.hint}</span>
          </div>
        ))}
      </div>
      <p className={styles.state} role="status">
        {state}
      </p>
    </dialog>
  )
}

function useEntries(text: string): { entries: readonly PaletteEntry[]; state: string } {
  const session = useSession()
  const isOperator = useSignedIn()?.isOperator === true
  const wanted = useDebounced(text.trim(), TYPING_MS)
  const isSearched = session?.state === 'in' && wanted.length >= MIN_SEARCH
  const present = useQuery({ ...marketSearchQuery(wanted), enabled: isSearched })
  const ended = useQuery({ ...endedMarketsQuery(wanted), enabled: isSearched })
  const markets = (isSearched ? [...(present.data ?? []), ...(ended.data ?? [])] : []).map(
    ({ id, slug, venue, question, status }): PaletteEntry => ({
      kind: 'market',
      id,
      market: addressName({ id, slug, venue }),
      name: plainText(question),
      hint: `${status} · ${slug}`,
    }),
  )
  const series = session?.state === 'in' ? matchingSeries(text) : []
  const entries = [...series, ...matchingPages(text, isOperator), ...markets]
  if (session?.state !== 'in') return { entries, state: 'Sign in to find markets too.' }
  if (!isSearched) return { entries, state: 'Type two letters to find markets too.' }
  if (present.error !== null) return { entries, state: searchProblem(present.error) }
  if (ended.error !== null) return { entries, state: 'Ended markets cannot be searched now. The others can.' }
  if (present.isFetching || ended.isFetching) return { entries, state: 'Searching markets …' }
  return { entries, state: markets.length === 0 ? 'No market has these words.' : '' }
}

function useChoice(onClose: () => void): (entry: PaletteEntry) => void {
  const navigate = useNavigate()
  return (entry) => {
    onClose()
    switch (entry.kind) {
      case 'page':
        void navigate({ to: entry.to })
        break
      case 'document':
        location.assign(entry.href)
        break
      case 'series':
        void navigate({ to: '/m/$coin/$timeframe', params: { coin: entry.coin, timeframe: entry.timeframe } })
        break
      case 'market':
        void navigate({ to: '/m/$market', params: { market: entry.market } })
        break
    }
  }
}

function searchProblem(error: Error): string {
  const isTooOften = error instanceof BookreelError && error.code === 'rate_limited'
  return isTooOften
    ? 'Too many requests in this minute. Wait a moment to search markets; pages can be found.'
    : 'Markets cannot be searched now. Pages can.'
}
