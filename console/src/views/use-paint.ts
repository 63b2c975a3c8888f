import { useEffect, useRef } from 'react'

interface Changing {
  onChange(listener: () => void): () => void
}

const USUAL_MS = 100
/** For people who want less motion. */
const CALM_MS = 500

/** Calls `paint` in an animation frame after a change, at most ten times a second. */
export function usePaint(source: Changing, paint: () => void): void {
  const paintedMs = useRef<number>(undefined)
  useEffect(() => {
    const everyMs = matchMedia('(prefers-reduced-motion: reduce)').matches ? CALM_MS : USUAL_MS
    let timer: ReturnType<typeof setTimeout> | undefined
    let frame = 0
    // Until the frame is painted: a change between the end of the timer and its frame must not ask for another one.
    let isPending = false
    const draw = (): void => {
      frame = requestAnimationFrame((nowMs) => {
        isPending = false
        paintedMs.current = nowMs
        paint()
      })
    }
    const onChange = (): void => {
      if (isPending) return
      isPending = true
      timer = setTimeout(draw, Math.max(0, everyMs - (performance.now() - (paintedMs.current ?? 0))))
    }
    // Another `paint` of a page that is drawn already is a change like the others.
    if (paintedMs.current === undefined) paint()
    else onChange()
    const remove = source.onChange(onChange)
    return () => {
      remove()
      clearTimeout(timer)
      cancelAnimationFrame(frame)
    }
  }, [source, paint])
}
