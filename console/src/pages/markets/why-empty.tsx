import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import controls from '../../views/controls.module.css'
import { emptyText } from '../../words/empty-reasons.ts'
import { capitalised } from '../../words/formats.ts'
import styles from './markets.module.css'
import { activeFilters, type MarketsSearch, withFilter } from './markets-search.ts'
import { useTierCategories } from './use-tier-categories.ts'

const NOTHING_OPEN = 'No market is open now. Markets that were recorded are under “Ever recorded”.'
const NOTHING_RECORDED = 'No market has been recorded yet.'

/** Why a list has no market, and what would help. */
export function WhyEmpty({
  search,
  reason,
}: {
  readonly search: MarketsSearch
  readonly reason?: string | undefined
}): ReactNode {
  const { tier } = useTierCategories()
  const filters = activeFilters(search)
  if (reason === 'tier') {
    return (
      <>
        Markets match, but the {tier} tier does not include their category.{' '}
        <Link to="/pricing">See what each tier includes</Link>
      </>
    )
  }
  if (reason !== 'no_match') return emptyText(reason)
  if (filters.length === 0) return search.view === 'ever' ? NOTHING_RECORDED : NOTHING_OPEN
  return (
    <>
      No market matches all filters. Search again without{' '}
      {filters.map(({ name, text }) => (
        <Link
          key={name}
          to="/markets"
          search={withFilter(search, { [name]: undefined })}
          replace
          className={controls.plain}
        >
          {text}
        </Link>
      ))}
      {search.q !== undefined && search.view === undefined && (
        <Link to="/markets" search={withFilter(search, { view: 'ever' })} className={controls.plain}>
          Search ended markets too
        </Link>
      )}
    </>
  )
}

export function LockedCategory({ category }: { readonly category: string }): ReactNode {
  const { tier, tiersWith } = useTierCategories()
  return (
    <div className={styles.locked}>
      <h2>{capitalised(category)} is in another tier</h2>
      <p>
        The {tier} tier does not include {category} markets; {tiersWith(category)} does. Their coverage is public.
      </p>
      <div className={controls.row}>
        <Link to="/pricing" className={controls.primary}>
          See what each tier includes
        </Link>
      </div>
    </div>
  )
}
