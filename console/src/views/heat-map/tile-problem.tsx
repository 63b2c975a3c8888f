import { BookreelError } from '@bookreel/sdk'
import { type ReactNode, useCallback, useState } from 'react'
import { usePaint } from '../use-paint.ts'
import { Problem } from '../view.tsx'
import type { HeatMapData } from './heat-map-data.ts'

interface TileProblemProps {
  readonly data: HeatMapData
  readonly onRetry: () => void
}

/** Why parts of the map are not there, and a button that requests them again. */
export function TileProblem({ data, onRetry }: TileProblemProps): ReactNode {
  const [failed, setFailed] = useState(data.failedTiles)
  usePaint(
    data,
    useCallback(() => setFailed(data.failedTiles), [data]),
  )
  const [first] = failed
  // The page itself says that the session has ended.
  if (first === undefined || (first.error instanceof BookreelError && first.error.status === 401)) return null
  return (
    <div>
      <p>Parts of the map could not be loaded. They are marked with a bar at the upper edge.</p>
      <Problem error={first.error} onRetry={onRetry} />
    </div>
  )
}
