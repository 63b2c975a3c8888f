import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react'
import { levelFor } from '../heat-map/detail-levels.ts'
import { PRICE_AXIS_PX } from '../heat-map/draw-overlay.ts'
import type { HeatMapData } from '../heat-map/heat-map-data.ts'
import { onThemeChange, themeOf } from '../heat-map/heat-theme.ts'
import type { HeatViewport } from '../heat-map/heat-viewport.ts'
import { usePaint } from '../use-paint.ts'
import { drawStrips, STRIP_PX } from './draw-strips.ts'
import { stripColumns } from './strip-columns.ts'
import styles from './strips.module.css'

interface MapStripsProps {
  readonly data: HeatMapData
  readonly view: HeatViewport
}

/** Spread, imbalance and traded size below a heat map, on the same time axis. */
export function MapStrips({ data, view }: MapStripsProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const source = useMemo(() => ({ onChange: (listener: () => void) => onEither(data, view, listener) }), [data, view])
  const paint = useCallback(() => {
    if (canvas.current !== null) paintOn(canvas.current, data, view)
  }, [data, view])
  usePaint(source, paint)
  useEffect(() => {
    const removeTheme = onThemeChange(paint)
    const sizes = new ResizeObserver(paint)
    if (canvas.current !== null) sizes.observe(canvas.current)
    return () => {
      removeTheme()
      sizes.disconnect()
    }
  }, [paint])
  return (
    <canvas
      ref={canvas}
      className={styles.onAxis}
      role="img"
      aria-label="Spread, imbalance and traded shares on the time axis of the map"
    />
  )
}

function onEither(data: HeatMapData, view: HeatViewport, listener: () => void): () => void {
  const removers = [data.onChange(listener), view.onChange(listener)]
  return () => {
    for (const remove of removers) remove()
  }
}

function paintOn(canvas: HTMLCanvasElement, data: HeatMapData, view: HeatViewport): void {
  const context = canvas.getContext('2d')
  const { clientWidth: width } = canvas
  if (context === null || width <= PRICE_AXIS_PX) return
  const height = 3 * STRIP_PX
  const pixels = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)] as const
  if (canvas.width !== pixels[0]) canvas.width = pixels[0]
  if (canvas.height !== pixels[1]) canvas.height = pixels[1]
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
  const span = { fromMs: view.fromMs, toMs: view.toMs }
  const level = levelFor(data.levels, view.spanMs, width - PRICE_AXIS_PX)
  const columns = stripColumns(data, level, span)
  drawStrips(context, { width, height }, { columns, span, theme: themeOf(canvas) })
}
