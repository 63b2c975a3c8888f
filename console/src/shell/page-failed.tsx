import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../views/page.tsx'
import { Problem } from '../views/view.tsx'

export function PageFailed({ error }: ErrorComponentProps): ReactNode {
  const known = error instanceof Error ? error : new Error(String(error))
  return (
    <Page title="This page failed">
      <Problem error={known} onRetry={() => location.reload()} />
    </Page>
  )
}
