import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../views/page.tsx'

export function NotFound(): ReactNode {
  return (
    <Page title="No such page" lead="No page of the console has this link.">
      <p>
        <Link to="/">Go to the start page</Link>, or press <kbd>/</kbd> to search.
      </p>
    </Page>
  )
}
