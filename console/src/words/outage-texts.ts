import type { Health } from '@bookreel/sdk'

type Part = 'analytics_store' | 'cache' | 'accounts' | 'pipeline'

interface Ability {
  readonly name: string
  /** Without one of these parts it does not work. Every request of a signed-in person needs the cache. */
  readonly needs: readonly Part[]
}

const ABILITIES: readonly Ability[] = [
  { name: 'live books and prices', needs: ['cache'] },
  { name: 'history', needs: ['cache', 'analytics_store'] },
  { name: 'downloads', needs: ['cache', 'analytics_store', 'accounts'] },
  { name: 'keys, credits and billing', needs: ['cache', 'accounts'] },
  { name: 'sign-in', needs: ['cache', 'accounts'] },
  { name: 'recording', needs: ['pipeline'] },
]

/** Stores that requests of pages need. Without the pipeline requests work, and only new rows are missing. */
const STORES: readonly Part[] = ['analytics_store', 'cache', 'accounts']

/** What does not work for people who use the console, and what does; undefined when every store works. */
export function outageText(health: Health): string | undefined {
  if (STORES.every((store) => health[store] !== 'down')) return undefined
  const works = ({ needs }: Ability): boolean => needs.every((part) => health[part] !== 'down')
  const names = (abilities: readonly Ability[]): string => abilities.map(({ name }) => name).join('; ')
  const working = ABILITIES.filter(works)
  const rest = working.length === 0 ? '' : ` These work: ${names(working)}.`
  return `Unavailable now: ${names(ABILITIES.filter((each) => !works(each)))}.${rest} What is shown stays, and the page recovers by itself.`
}

/** For pages with live books; undefined when rows are being recorded. */
export function recordingText({ pipeline }: Health): string | undefined {
  if (pipeline !== 'down') return undefined
  return 'Recording is interrupted: no new books arrive, and what is shown is old. History, downloads and your account work. The page goes on by itself.'
}
