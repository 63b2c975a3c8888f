import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import type { LiveMarket } from '../../data/stream/live-market.ts'
import { usePaint } from '../use-paint.ts'
import { hopsOf, imbalanceOf, spreadOf } from './figures-of-book.ts'
import { Sparkline } from './sparkline.ts'
import styles from './strips.module.css'

const SAMPLE_MS = 500
const WIDTH = 240
const HEIGHT = 26

/** Figures of the present book, and how its age went in the last two minutes. */
export function Strips({ live }: { readonly live: LiveMarket }): ReactNode {
  const root = useRef<HTMLDListElement>(null)
  const age = useMemo(() => new Sparkline(), [])
  const paint = useCallback(() => paintTexts(root.current, live), [live])
  usePaint(live, paint)
  useSamples(live, age, root)
  return (
    <dl ref={root} className={styles.strips}>
      <Strip name="Spread" part="spread" />
      <Strip name="Imbalance, 5 levels" part="imbalance" />
      <div className={styles.wide}>
        <dt>Freshness</dt>
        <dd className={styles.hops}>
          <Hop name="venue to us" part="toRecorder" />
          <Hop name="to the slot" part="toSlot" />
          <Hop name="to the stream" part="toStream" />
          <Hop name="≈ to the page" part="toPage" />
        </dd>
        <dd>
          <canvas width={WIDTH} height={HEIGHT} />
        </dd>
      </div>
    </dl>
  )
}

function Strip({ name, part }: { readonly name: string; readonly part: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-part={part}>–</dd>
    </div>
  )
}

function Hop({ name, part }: { readonly name: string; readonly part: string }): ReactNode {
  return (
    <span>
      <b data-part={part}>–</b> {name}
    </span>
  )
}

function paintTexts(root: HTMLElement | null, live: LiveMarket): void {
  const { book } = live
  if (root === null || book === undefined) return
  const spread = spreadOf(book)
  const imbalance = imbalanceOf(book)
  const hops = hopsOf(book, Date.now() - live.bookAgeMs(Date.now()) + (book.sentAt - book.capturedAt))
  const texts: Readonly<Record<string, string>> = {
    spread: spread === undefined ? 'one side is empty' : `${Number((spread * 100).toFixed(2))}¢`,
    imbalance: imbalance === undefined ? '–' : `${imbalance >= 0 ? '+' : '−'}${Math.abs(imbalance).toFixed(2)}`,
    ...Object.fromEntries(Object.entries(hops).map(([name, ms]) => [name, hopText(ms)])),
  }
  for (const element of root.querySelectorAll<HTMLElement>('[data-part]')) {
    const text = texts[element.dataset.part ?? ''] ?? '–'
    if (element.textContent !== text) element.textContent = text
  }
}

/** A change can be old when nothing happens at the venue. */
function hopText(ms: number): string {
  if (Number.isNaN(ms)) return 'not known'
  return Math.abs(ms) < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1_000)} s`
}

function useSamples(live: LiveMarket, age: Sparkline, root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const timer = setInterval(() => {
      age.add(live.book === undefined ? undefined : live.bookAgeMs(Date.now()))
      if (!document.hidden) age.draw(root.current?.querySelector('canvas') ?? null)
    }, SAMPLE_MS)
    return () => clearInterval(timer)
  }, [live, age, root])
}
