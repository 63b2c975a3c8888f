import type { Bar, Trade } from '@bookreel/sdk'
import {
  type KeyboardEvent,
  type ReactNode,
  type PointerEvent as ReactPointerEvent,
  useId,
  useMemo,
  useState,
} from 'react'
import type { GapSpan } from '../../../data/history/steps.ts'
import { usePreferences } from '../../../data/preferences.ts'
import { centsText } from '../../../words/market-texts.ts'
import { momentText } from '../../../words/moment-texts.ts'
import { causeName } from '../../../words/proof-badges.ts'
import { LEAST_RANGE_MS, rangeAfterKey, type Span } from './chosen-range.ts'
import styles from './overview.module.css'
import { HEIGHT, msAt, overviewShapes, volumeBars, WIDTH, xOf } from './overview-shapes.ts'

interface OverviewProps {
  readonly recorded: Span
  /** Undefined until they are read. */
  readonly bars: readonly Bar[] | undefined
  readonly barMs: number
  readonly gaps: readonly GapSpan[]
  readonly trades: readonly Trade[]
  readonly windows: readonly number[]
  readonly range: Span
  readonly atMs: number
  readonly onChoose: (range: Span) => void
  readonly onMove: (atMs: number) => void
}

/** A shorter movement of the pointer is a click. */
const CLICK_SHARE = 0.006

/** Everything that is recorded. A drag or keys choose a range, a click moves the playhead. */
export function Overview(props: OverviewProps): ReactNode {
  const { recorded, range, atMs, onChoose, onMove } = props
  const [drag, setDrag] = useState<{ from: number; to: number }>()
  const shareOf = ({ currentTarget, clientX }: ReactPointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return (clientX - left) / width
  }
  const onPointerUp = (event: ReactPointerEvent): void => {
    if (drag === undefined) return
    const to = shareOf(event)
    setDrag(undefined)
    const [fromMs, toMs] = [msAt(Math.min(drag.from, to), recorded), msAt(Math.max(drag.from, to), recorded)]
    if (Math.abs(to - drag.from) < CLICK_SHARE) onMove(fromMs)
    else onChoose({ fromMs, toMs: Math.max(toMs, fromMs + LEAST_RANGE_MS) })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const changed = rangeAfterKey(event, range)
    if (changed === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    // Elsewhere the same keys move the playhead.
    event.preventDefault()
    onChoose(changed)
  }
  const [fromX, toX] =
    drag === undefined
      ? [xOf(range.fromMs, recorded), xOf(range.toMs, recorded)]
      : [Math.min(drag.from, drag.to) * WIDTH, Math.max(drag.from, drag.to) * WIDTH]
  const playheadX = xOf(atMs, recorded)
  return (
    <div className={styles.overview}>
      <svg
        // Its keys move the range, so it needs the focus.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        onKeyDown={onKeyDown}
        // After a click the arrow keys still move the playhead.
        onMouseDown={(event) => event.preventDefault()}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={useSummary(props)}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          setDrag({ from: shareOf(event), to: shareOf(event) })
        }}
        onPointerMove={(event) => drag !== undefined && setDrag({ from: drag.from, to: shareOf(event) })}
        onPointerUp={onPointerUp}
        onPointerCancel={() => setDrag(undefined)}
      >
        <Shapes {...props} />
        <path className={styles.outside} d={`M0,0H${fromX}V${HEIGHT}H0ZM${toX},0H${WIDTH}V${HEIGHT}H${toX}Z`} />
        <rect className={styles.chosen} x={fromX} y={0.5} width={Math.max(1, toX - fromX)} height={HEIGHT - 1} />
        <line className={styles.playhead} x1={playheadX} x2={playheadX} y1={0} y2={HEIGHT} />
      </svg>
      <Ends recorded={recorded} />
    </div>
  )
}

/** Does not change while the playhead moves. */
function Shapes({ recorded, bars, barMs, gaps, trades, windows }: OverviewProps): ReactNode {
  const hatch = useId()
  const shapes = useMemo(() => overviewShapes(bars ?? [], barMs, recorded), [bars, barMs, recorded])
  const volume = useMemo(() => volumeBars(trades, barMs, recorded), [trades, barMs, recorded])
  return (
    <>
      <defs>
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className={styles.gapGround} width="6" height="6" />
          <line className={styles.hatch} x1="0" x2="0" y1="0" y2="6" />
        </pattern>
      </defs>
      {volume.map(({ x, width, y, height }) => (
        <rect key={x} className={styles.volume} x={x} width={width} y={y} height={height} />
      ))}
      <path className={styles.band} d={shapes.band} />
      <path className={styles.line} d={shapes.line} />
      {gaps.map(({ fromMs, toMs, kind, cause }) => (
        <rect
          key={`${fromMs} ${kind} ${cause}`}
          className={kind === 'missing' ? undefined : styles.suspect}
          {...(kind === 'missing' && { fill: `url(#${hatch})` })}
          x={xOf(fromMs, recorded)}
          width={Math.max(2, xOf(toMs, recorded) - xOf(fromMs, recorded))}
          y={0}
          height={HEIGHT}
        >
          <title>{`${kind}: ${causeName(cause)}`}</title>
        </rect>
      ))}
      {windows.map((ms) => (
        <line key={ms} className={styles.window} x1={xOf(ms, recorded)} x2={xOf(ms, recorded)} y1={0} y2={HEIGHT} />
      ))}
    </>
  )
}

function Ends({ recorded }: { readonly recorded: Span }): ReactNode {
  const { zone } = usePreferences()
  return (
    <div className={styles.ends}>
      <span>{momentText(recorded.fromMs, zone)}</span>
      <span>{momentText(recorded.toMs, zone)}</span>
    </div>
  )
}

function useSummary({ recorded, bars, gaps }: OverviewProps): string {
  const { zone } = usePreferences()
  const known = (bars ?? []).filter(({ close }) => close !== null)
  const low = Math.min(...known.map((bar) => bar.low ?? 1))
  const high = Math.max(...known.map((bar) => bar.high ?? 0))
  const none = bars === undefined ? 'prices are not read yet' : 'no prices'
  const prices = known.length === 0 ? none : `middle price from ${centsText(low)} to ${centsText(high)}`
  const time = `${momentText(recorded.fromMs, zone)} to ${momentText(recorded.toMs, zone)}`
  return `Everything recorded, ${time}: ${prices}, ${gaps.length === 1 ? 'one gap' : `${gaps.length} gaps`}.`
}
