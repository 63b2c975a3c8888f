import { type RefObject, useEffect, useRef } from 'react'

/** Before the browser has told which rows are visible. */
const AT_FIRST = 20

/** Returns a function that tells which of the rows, marked with `data-market`, are on the screen now. */
export function useVisibleRows(box: RefObject<HTMLElement | null>, ids: readonly string[]): () => readonly string[] {
  const seen = useRef<Set<string> | undefined>(undefined)
  const key = ids.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are other elements
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      seen.current ??= new Set()
      for (const { target, isIntersecting } of entries) {
        const id = (target as HTMLElement).dataset.market ?? ''
        if (isIntersecting) seen.current.add(id)
        else seen.current.delete(id)
      }
    })
    for (const row of box.current?.querySelectorAll('[data-market]') ?? []) observer.observe(row)
    return () => {
      observer.disconnect()
      seen.current = undefined
    }
  }, [box, key])
  return () => (seen.current === undefined ? ids.slice(0, AT_FIRST) : ids.filter((id) => seen.current?.has(id)))
}
