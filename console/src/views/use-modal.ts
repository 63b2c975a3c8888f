import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * A dialog that is open for as long as it is rendered. It closes before it is removed from the page, so the browser
 * returns the focus.
 */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return ref
}
