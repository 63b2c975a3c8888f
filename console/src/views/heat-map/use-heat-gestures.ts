import { type RefObject, useEffect } from 'react'
import type { HeatPainter } from './heat-painter.ts'
import type { HeatViewport } from './heat-viewport.ts'

interface Gestures {
  readonly plot: RefObject<HTMLElement | null>
  readonly painter: RefObject<HeatPainter | undefined>
  readonly view: HeatViewport
  /** The place under the pointer or the keyboard cross-hair has changed. */
  readonly onMove: (byKeyboard: boolean) => void
  /** A click without a drag. */
  readonly onSelect?: (atMs: number) => void
  readonly onFit: () => void
}

const ZOOM_PER_WHEEL = 1.0015
const ZOOM_PER_KEY = 1.25
const PAN_PER_KEY = 0.1
const CLICK_PX = 4
const ARROWS: Readonly<Record<string, readonly [right: number, up: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
}

/** Wheel, drag, double click and keys of a heat map. */
export function useHeatGestures({ plot, painter, view, onMove, onSelect, onFit }: Gestures): void {
  useEffect(() => {
    const element = plot.current
    if (element === null) return undefined
    let drag: { x: number; y: number; moved: number } | undefined
    const size = () => painter.current?.plotSize ?? { width: 1, height: 1 }
    const placeOf = (event: MouseEvent) => {
      const box = element.getBoundingClientRect()
      return { x: event.clientX - box.left, y: event.clientY - box.top }
    }
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault()
      const { x, y } = placeOf(event)
      const factor = ZOOM_PER_WHEEL ** (event.deltaY === 0 ? event.deltaX : event.deltaY)
      if (event.shiftKey) view.zoomPrice(factor, clamp(1 - y / size().height))
      else view.zoomTime(factor, clamp(x / size().width))
    }
    const onPointerDown = (event: PointerEvent): void => {
      if (event.button !== 0) return
      drag = { ...placeOf(event), moved: 0 }
      element.setPointerCapture(event.pointerId)
    }
    const onPointerMove = (event: PointerEvent): void => {
      const at = placeOf(event)
      if (drag !== undefined) {
        const [right, down] = [at.x - drag.x, at.y - drag.y]
        const moved = drag.moved + Math.abs(right) + Math.abs(down)
        if (moved > CLICK_PX) view.pan(-right / size().width, down / size().height)
        drag = { ...at, moved }
      }
      point(painter.current, at)
      onMove(false)
    }
    const onPointerUp = (event: PointerEvent): void => {
      const isClick = drag !== undefined && drag.moved <= CLICK_PX
      drag = undefined
      const { x, y } = placeOf(event)
      if (isClick && painter.current !== undefined) onSelect?.(painter.current.at(x, y).atMs)
    }
    const onPointerLeave = (): void => {
      if (painter.current === undefined) return
      painter.current.cross = undefined
      painter.current.request()
      onMove(false)
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || !handleKey(event, view, painter.current)) return
      event.preventDefault()
      event.stopPropagation()
      onMove(true)
    }
    const listeners = {
      wheel: onWheel,
      pointerdown: onPointerDown,
      pointermove: onPointerMove,
      pointerup: onPointerUp,
      pointerleave: onPointerLeave,
      dblclick: onFit,
      keydown: onKeyDown,
    }
    for (const [name, listener] of Object.entries(listeners))
      element.addEventListener(name, listener as EventListener, { passive: false })
    return () => {
      for (const [name, listener] of Object.entries(listeners))
        element.removeEventListener(name, listener as EventListener)
    }
  }, [plot, painter, view, onMove, onSelect, onFit])
}

function point(painter: HeatPainter | undefined, { x, y }: { x: number; y: number }): void {
  if (painter === undefined) return
  const { width, height } = painter.plotSize
  painter.cross = x >= 0 && x <= width && y >= 0 && y <= height ? painter.at(x, y) : undefined
  painter.request()
}

/** Whether the key belongs to the map. */
function handleKey({ key, shiftKey }: KeyboardEvent, view: HeatViewport, painter: HeatPainter | undefined): boolean {
  if (painter === undefined) return false
  const step = ARROWS[key]
  if (step !== undefined && shiftKey) {
    view.pan(step[0] * PAN_PER_KEY, step[1] * PAN_PER_KEY)
    return true
  }
  if (step !== undefined) {
    const { width } = painter.plotSize
    const middle = { atMs: view.toMs - view.spanMs / 20, row: Math.floor((view.low + view.high) / 2) }
    const { atMs, row } = painter.cross ?? middle
    const columnMs = Math.max(view.spanMs / width, painter.columnMs)
    const [right, up] = step
    painter.cross = {
      atMs: Math.min(view.toMs - 1, Math.max(view.fromMs, atMs + right * columnMs)),
      row: Math.min(Math.ceil(view.high) - 1, Math.max(Math.floor(view.low), row + up)),
    }
    painter.request()
    return true
  }
  if (key === '+' || key === '-') view.zoomTime(key === '+' ? 1 / ZOOM_PER_KEY : ZOOM_PER_KEY, 1)
  else if (key === 'PageUp' || key === 'PageDown')
    view.zoomPrice(key === 'PageUp' ? 1 / ZOOM_PER_KEY : ZOOM_PER_KEY, 0.5)
  else if (key === 'Escape' && painter.cross !== undefined) {
    painter.cross = undefined
    painter.request()
  } else return false
  return true
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share))
}
