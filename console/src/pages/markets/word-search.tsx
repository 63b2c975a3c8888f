import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import controls from '../../views/controls.module.css'
import styles from './markets.module.css'
import { MAX_WORDS_LENGTH, type MarketsSearch, withFilter } from './markets-search.ts'

/** Applied with Enter or the button: every list costs a request. */
export function WordSearch({ search }: { readonly search: MarketsSearch }): ReactNode {
  const navigate = useNavigate({ from: '/markets' })
  const { q = '', view } = search
  return (
    <search>
      <form
        // Another address has other words, which the field then shows.
        key={q}
        className={styles.search}
        onSubmit={(event) => {
          event.preventDefault()
          const words = new FormData(event.currentTarget).get('words')
          void navigate({ search: withFilter(search, { q: words }), replace: true })
        }}
      >
        <input
          className={controls.input}
          type="search"
          name="words"
          defaultValue={q}
          maxLength={MAX_WORDS_LENGTH}
          aria-label={view === 'ever' ? 'Words in recorded markets' : 'Words in markets'}
          placeholder={view === 'ever' ? 'Words of a recorded market' : 'Words of a market'}
        />
        <button type="submit" className={controls.button}>
          Search
        </button>
      </form>
    </search>
  )
}
