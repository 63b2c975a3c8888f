import { DARK, LIGHT, type Palette } from './colours.ts'

/** Colours of everything on a heat map; a canvas can't read the colours of the styles. */
export interface HeatTheme {
  readonly palette: Palette
  readonly background: string
  readonly hatch: string
  readonly notch: string
  readonly grid: string
  readonly text: string
  readonly bidLine: string
  readonly askLine: string
  readonly buy: string
  readonly sell: string
  readonly edge: string
  readonly cross: string
}

const DARK_THEME: HeatTheme = {
  palette: DARK,
  background: '#0b0e14',
  hatch: '#5d6875',
  notch: '#e5b252',
  grid: 'rgb(149 161 175 / 14%)',
  text: '#95a1af',
  bidLine: '#9fd0ff',
  askLine: '#ffc27a',
  buy: '#4fd69c',
  sell: '#ff7a8a',
  edge: '#0b0e14',
  cross: '#e3e8ee',
}

const LIGHT_THEME: HeatTheme = {
  palette: LIGHT,
  background: '#ffffff',
  hatch: '#9aa4b0',
  notch: '#a86400',
  grid: 'rgb(84 95 108 / 16%)',
  text: '#545f6c',
  bidLine: '#0a4fae',
  askLine: '#a04600',
  buy: '#0b7a45',
  sell: '#c2202f',
  edge: '#ffffff',
  cross: '#12171d',
}

/** The theme that an element is shown in. */
export function themeOf(element: Element): HeatTheme {
  const [red = 0, green = 0, blue = 0] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? []).map(Number)
  // Light text is on a dark page.
  return red + green + blue > 384 ? DARK_THEME : LIGHT_THEME
}

/** Calls back when the system or the user changes the theme; returns a function that ends it. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', listener)
  const chosen = new MutationObserver(listener)
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => {
    system.removeEventListener('change', listener)
    chosen.disconnect()
  }
}
