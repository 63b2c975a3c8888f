import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isKeyForOthers } from '../../views/key-for-others.ts'
import type { MarketSide } from './market-search.ts'

const SIDES: Readonly<Record<string, MarketSide>> = { u: 'up', d: 'down' }

/** `u` and `d` choose the token, unless the user is typing. */
export function useSideKeys(isOn: boolean): void {
  const navigate = useNavigate()
  useEffect(() => {
    if (!isOn) return undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      const side = SIDES[event.key]
      if (side === undefined || isKeyForOthers(event)) return
      void navigate({ to: '.', search: (before: object) => ({ ...before, side }), replace: true })
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isOn, navigate])
}
