import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../experiment.ts'
import type { ConsoleBench, Look } from './console-bench.ts'

export interface PageShift {
  readonly page: string
  readonly look: string
  readonly shift: number
}

const PUBLIC_PAGES = ['/app', '/app/markets', '/app/coverage', '/app/pricing', '/app/status']
const ACCOUNT_PAGES = [
  '/app/markets?view=ever',
  '/app/downloads',
  '/app/keys',
  '/app/usage',
  '/app/account',
  '/app/credits',
  '/app/billing',
  '/app/m/BTC/5m',
]
const MARKET_TABS = ['history', 'coverage', 'data', 'code']
const WIDE = { width: 1_280, height: 900, theme: 'dark' } as const
const NARROW = { width: 360, height: 740, theme: 'light' } as const
const HAS_HEADING = `document.querySelector('main h1') !== null`
const SETTLED_MS = 3_000

/** Whoever may see a page, on a wide and on a narrow screen. */
const LOOKS: readonly Look[] = (['visitor', 'user', 'operator'] as const).flatMap((role) => [
  { ...WIDE, role },
  { ...NARROW, role },
])
export const LOOK_COUNT = LOOKS.length

/** Of every page, in the first of the looks. */
export async function layoutShifts(bench: ConsoleBench, looks: number, progress: Progress): Promise<PageShift[]> {
  const market = MARKET_TABS.map((tab) => `/app/m/${bench.past.slug}?tab=${tab}`)
  const pages: Record<Look['role'], readonly string[]> = {
    visitor: PUBLIC_PAGES,
    user: [...PUBLIC_PAGES, ...ACCOUNT_PAGES, ...market],
    operator: ['/app/ops'],
  }
  const shifts: PageShift[] = []
  for (const look of LOOKS.slice(0, looks))
    for (const path of pages[look.role]) shifts.push(await shiftOf(bench, path, look, progress))
  return shifts
}

async function shiftOf(bench: ConsoleBench, path: string, look: Look, progress: Progress): Promise<PageShift> {
  const name = `${look.role}, ${look.width} px, ${look.theme}`
  progress(`layout of ${path}, ${name}`)
  const watched = await bench.newPage(look)
  await watched.readyAfter(`${bench.origin}${path}`, HAS_HEADING)
  await sleep(SETTLED_MS)
  const shift = await watched.shift()
  await watched.close()
  return { page: path, look: name, shift }
}
