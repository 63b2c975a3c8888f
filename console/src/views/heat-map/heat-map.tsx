import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { usePreferences } from '../../data/preferences.ts'
import { axisTimeText } from '../../words/market-texts.ts'
import controls from '../controls.module.css'
import { type ColumnPlace, ColumnTable } from './column-table.tsx'
import type { Contrast } from './contrast.ts'
import { ContrastControl } from './contrast-control.tsx'
import { HeatLegend } from './heat-legend.tsx'
import styles from './heat-map.module.css'
import type { HeatMapData } from './heat-map-data.ts'
import { HeatPainter } from './heat-painter.ts'
import { readoutAt, sentenceOf } from './heat-readout.ts'
import { onThemeChange } from './heat-theme.ts'
import type { HeatViewport } from './heat-viewport.ts'
import { TradeSizeSelect } from './trade-size-select.tsx'
import { useHeatGestures } from './use-heat-gestures.ts'
import { useHeatKeys } from './use-heat-keys.ts'

interface HeatMapProps {
  readonly data: HeatMapData
  readonly view: HeatViewport
  /** Called with what is on the screen before it is drawn, to load what is not known yet. */
  readonly onNeed?: (level: number, fromMs: number, toMs: number) => void
  /** A line at this time, over the whole height. */
  readonly playheadMs?: number
  /** A click without a drag. */
  readonly onSelect?: (atMs: number) => void
  /** Beside the buttons of the map. */
  readonly children?: ReactNode
}

const SENTENCE_MS = 10_000

/** Sizes by time and price. It reads its data when it draws; React draws only the frame around it. */
export function HeatMap({ data, view, onNeed, playheadMs, onSelect, children }: HeatMapProps): ReactNode {
  const plot = useRef<HTMLDivElement>(null)
  const [contrast, setContrast] = useState<Contrast>({ low: 1, high: 255 })
  const [isContrastOpen, setContrastOpen] = useState(false)
  const [column, setColumn] = useState<ColumnPlace>()
  const clock = useClock()
  const painter = usePainter({ plot, data, view, clock, onNeed, setContrast })
  const readout = useRef<HTMLParagraphElement>(null)
  const spoken = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (painter.current === undefined) return
    painter.current.playheadMs = playheadMs
    painter.current.request()
  }, [painter, playheadMs])
  const onMove = useCallback(
    (byKeyboard: boolean) => {
      const { cross, level = 0 } = painter.current ?? {}
      const text = cross === undefined ? '' : readoutAt(data, level, cross, clock)
      if (readout.current !== null) readout.current.textContent = text
      if (!byKeyboard) return
      if (spoken.current !== null) spoken.current.textContent = text
      setColumn(cross && { level, number: data.numberAt(level, cross.atMs) })
    },
    [painter, data, clock],
  )
  const centre = useCallback(() => {
    view.hasOwnPrices = false
    view.changed()
  }, [view])
  const fit = useCallback(() => {
    view.isFollowing = data.nowMs > 0
    centre()
  }, [view, data, centre])
  useHeatGestures({ plot, painter, view, onMove, onFit: fit, ...(onSelect && { onSelect }) })
  useHeatKeys({ c: centre, b: () => setContrastOpen((isOpen) => !isOpen) })
  const sentence = useSentence(data, view, painter, clock)
  const form = data.levels[0]
  return (
    <figure className={styles.map}>
      <div className={styles.tools}>
        {children}
        <TradeSizeSelect view={view} />
        <button type="button" className={controls.plain} onClick={fit} title="Double click on the map">
          Fit
        </button>
        <button type="button" className={controls.plain} onClick={centre} title="Key c">
          Centre
        </button>
        <button
          type="button"
          className={controls.plain}
          aria-expanded={isContrastOpen}
          onClick={() => setContrastOpen(!isContrastOpen)}
          title="Key b"
        >
          Contrast
        </button>
      </div>
      {isContrastOpen && <ContrastControl data={data} view={view} painter={painter} contrast={contrast} />}
      {/* Its keys move a cross-hair that is read out, so it needs the focus. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <div ref={plot} className={styles.plot} role="img" aria-label={sentence} tabIndex={0}>
        <canvas className={styles.base} />
        <canvas className={styles.overlay} />
      </div>
      <figcaption className={styles.caption}>
        {form !== undefined && <HeatLegend painter={painter} contrast={contrast} scale={form.scale} />}
        <p ref={readout} className={styles.readout} />
        <p ref={spoken} className={styles.spoken} aria-live="polite" />
      </figcaption>
      {column !== undefined && (
        <details className={styles.details}>
          <summary>Sizes under the cross-hair</summary>
          <ColumnTable data={data} at={column} />
        </details>
      )}
    </figure>
  )
}

function useClock(): (ms: number) => string {
  const { zone } = usePreferences()
  return useCallback((ms: number) => axisTimeText(ms, zone), [zone])
}

interface PainterInput {
  readonly plot: RefObject<HTMLDivElement | null>
  readonly data: HeatMapData
  readonly view: HeatViewport
  readonly clock: (ms: number) => string
  readonly onNeed: HeatMapProps['onNeed']
  readonly setContrast: (contrast: Contrast) => void
}

function usePainter(input: PainterInput): RefObject<HeatPainter | undefined> {
  const { plot, data, view, clock, onNeed, setContrast } = input
  const painter = useRef<HeatPainter>(undefined)
  useEffect(() => {
    const element = plot.current
    const [base, overlay] = element?.querySelectorAll('canvas') ?? []
    if (element === null || base === undefined || overlay === undefined) return undefined
    const made = new HeatPainter({
      base,
      overlay,
      data,
      view,
      clock,
      onContrast: setContrast,
      ...(onNeed && { onNeed }),
    })
    painter.current = made
    // Tests, and people with the tools of their browser, read here what is drawn.
    Object.assign(element, { heatMap: { data, view, painter: made } })
    const sizes = new ResizeObserver(() => made.resize(element.clientWidth, element.clientHeight, devicePixelRatio))
    sizes.observe(element)
    const removeTheme = onThemeChange(() => made.changeTheme())
    return () => {
      sizes.disconnect()
      removeTheme()
      made.stop()
    }
  }, [plot, data, view, clock, onNeed, setContrast])
  return painter
}

function useSentence(
  data: HeatMapData,
  view: HeatViewport,
  painter: RefObject<HeatPainter | undefined>,
  clock: (ms: number) => string,
): string {
  const [sentence, setSentence] = useState('Heat map')
  useEffect(() => {
    const tell = (): void => setSentence(sentenceOf(data, painter.current?.level ?? 0, view, clock))
    const soon = setTimeout(tell, 1_000)
    const timer = setInterval(tell, SENTENCE_MS)
    return () => {
      clearTimeout(soon)
      clearInterval(timer)
    }
  }, [data, view, painter, clock])
  return sentence
}
