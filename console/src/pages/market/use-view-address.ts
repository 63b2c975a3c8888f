import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { HeatViewport } from '../../views/heat-map/heat-viewport.ts'
import { USUAL_SPAN_MINUTES } from './live-view.ts'

const SETTLED_MS = 400
const MINUTE_MS = 60_000

/** Keeps span and contrast of the map in the address, so that a copied address shows the same. */
export function useViewAddress(view: HeatViewport): void {
  const navigate = useNavigate()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const write = (): void => {
      const { contrast, spanMs } = view
      const minutes = Math.max(1, Math.round(spanMs / MINUTE_MS))
      const span = minutes === USUAL_SPAN_MINUTES ? undefined : minutes
      const text = contrast === undefined ? undefined : `${contrast.low}-${contrast.high}`
      const search = (before: object): object => ({ ...before, span, contrast: text })
      void navigate({ to: '.', search, replace: true, resetScroll: false })
    }
    const remove = view.onChange(() => {
      clearTimeout(timer)
      timer = setTimeout(write, SETTLED_MS)
    })
    return () => {
      clearTimeout(timer)
      remove()
    }
  }, [view, navigate])
}
