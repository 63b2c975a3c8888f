import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { sizeText } from '../../words/market-texts.ts'
import { colourTables } from './colours.ts'
import type { Contrast } from './contrast.ts'
import styles from './heat-map.module.css'
import type { HeatPainter } from './heat-painter.ts'
import { onThemeChange } from './heat-theme.ts'
import { type SizeScale, sizeOfCode } from './size-code.ts'

interface LegendProps {
  readonly painter: RefObject<HeatPainter | undefined>
  readonly contrast: Contrast
  readonly scale: SizeScale
}

const WIDTH = 64
const HEIGHT = 10

/** Which size has which colour. Bids grow to the left and asks to the right, like an axis with the small sizes in the middle. */
export function HeatLegend({ painter, contrast, scale }: LegendProps): ReactNode {
  const [low, high] = [contrast.low, contrast.high].map((code) => sizeText(sizeOfCode(Math.round(code), scale)))
  return (
    <div className={styles.legend}>
      <span>Bids</span>
      <span className={styles.number}>{high}</span>
      <Ramp side="bid" painter={painter} contrast={contrast} />
      <span className={styles.number}>{low}</span>
      <Ramp side="ask" painter={painter} contrast={contrast} />
      <span className={styles.number}>{high}</span>
      <span>Asks, in shares</span>
    </div>
  )
}

interface RampProps extends Pick<LegendProps, 'painter' | 'contrast'> {
  readonly side: 'bid' | 'ask'
}

function Ramp({ side, painter, contrast }: RampProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const draw = (): void => drawRamp(canvas.current, painter.current, contrast, side)
    draw()
    return onThemeChange(draw)
  }, [painter, contrast, side])
  return <canvas ref={canvas} width={WIDTH} height={HEIGHT} />
}

function drawRamp(
  canvas: HTMLCanvasElement | null,
  painter: HeatPainter | undefined,
  contrast: Contrast,
  side: 'bid' | 'ask',
): void {
  const context = canvas?.getContext('2d')
  if (!context || painter === undefined) return
  const colours = colourTables(painter.theme.palette, contrast)[side]
  for (let x = 0; x < WIDTH; x++) {
    const code = Math.round(contrast.low + ((contrast.high - contrast.low) * x) / (WIDTH - 1))
    context.fillStyle = cssOf(colours[code] ?? 0)
    context.fillRect(side === 'bid' ? WIDTH - 1 - x : x, 0, 1, HEIGHT)
  }
}

function cssOf(pixel: number): string {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`
}
