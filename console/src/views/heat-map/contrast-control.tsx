import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { sizeText } from '../../words/market-texts.ts'
import controls from '../controls.module.css'
import { type Contrast, histogramOf } from './contrast.ts'
import styles from './heat-map.module.css'
import type { HeatMapData } from './heat-map-data.ts'
import type { HeatPainter } from './heat-painter.ts'
import type { HeatViewport } from './heat-viewport.ts'
import { sizeOfCode } from './size-code.ts'

interface ContrastProps {
  readonly data: HeatMapData
  readonly view: HeatViewport
  readonly painter: RefObject<HeatPainter | undefined>
  readonly contrast: Contrast
}

const CODES = 256
const HEIGHT = 40

/** Two cut-offs on a histogram of the sizes on the screen: smaller sizes are not drawn, larger ones look alike. */
export function ContrastControl({ data, view, painter, contrast }: ContrastProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { low, high } = contrast
  useEffect(() => drawHistogram(canvas.current, painter.current, data, view), [painter, data, view])
  const change = (changed: Contrast | undefined): void => {
    view.contrast = changed
    view.changed()
  }
  const scale = data.levels[0]?.scale
  const textOf = (code: number): string => (scale === undefined ? '' : `${sizeText(sizeOfCode(code, scale))} shares`)
  return (
    <fieldset className={styles.contrast}>
      <legend>Contrast</legend>
      <canvas ref={canvas} width={CODES} height={HEIGHT} />
      <label>
        <span>Not drawn below {textOf(low)}</span>
        <input
          type="range"
          min={1}
          max={CODES - 2}
          value={low}
          aria-valuetext={textOf(low)}
          onChange={({ target }) =>
            change({ low: Number(target.value), high: Math.max(high, Number(target.value) + 1) })
          }
        />
      </label>
      <label>
        <span>Same colour from {textOf(high)}</span>
        <input
          type="range"
          min={2}
          max={CODES - 1}
          value={high}
          aria-valuetext={textOf(high)}
          onChange={({ target }) =>
            change({ low: Math.min(low, Number(target.value) - 1), high: Number(target.value) })
          }
        />
      </label>
      <button type="button" className={controls.button} onClick={() => change(undefined)}>
        Auto
      </button>
    </fieldset>
  )
}

function drawHistogram(
  canvas: HTMLCanvasElement | null,
  painter: HeatPainter | undefined,
  data: HeatMapData,
  view: HeatViewport,
): void {
  const context = canvas?.getContext('2d')
  const ring = painter && data.rings[painter.level]
  if (!context || painter === undefined || ring === undefined) return
  const from = data.numberAt(painter.level, view.fromMs)
  const to = data.numberAt(painter.level, view.toMs) + 1
  const counts = histogramOf(ring, { from, to, low: view.low, high: view.high })
  const most = counts.reduce((top, count) => Math.max(top, count), 1)
  context.clearRect(0, 0, CODES, HEIGHT)
  context.fillStyle = painter.theme.text
  for (let code = 0; code < CODES; code++) {
    const height = Math.ceil(((counts[code] ?? 0) / most) * HEIGHT)
    context.fillRect(code, HEIGHT - height, 1, height)
  }
}
