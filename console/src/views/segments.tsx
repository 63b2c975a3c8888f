import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import controls from './controls.module.css'

interface SegmentsProps<Option> {
  readonly label: string
  readonly options: readonly Option[]
  readonly chosen: Option
  readonly text: (option: Option) => string
  /** The view of this page with the option. */
  readonly searchFor: (option: Option) => object
}

/** Links, so that the choice is part of the address. */
export function Segments<Option extends string | number>(props: SegmentsProps<Option>): ReactNode {
  const { label, options, chosen, text, searchFor } = props
  return (
    <nav className={controls.segments} aria-label={label}>
      {options.map((option) => (
        <Link
          key={option}
          to="."
          search={() => searchFor(option)}
          replace
          activeProps={{}}
          aria-current={option === chosen ? 'true' : undefined}
        >
          {text(option)}
        </Link>
      ))}
    </nav>
  )
}
