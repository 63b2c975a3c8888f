import { useEffect, useState } from 'react'

const TICK_MS = 1_000

/** The time, again every second, for texts such as "3 min left". */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return nowMs
}
