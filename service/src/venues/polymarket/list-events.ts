import { z } from 'zod'
import { HttpRefusal, type VenueHttp } from '../venue-http.ts'
import { type GammaEvent, GammaEventSchema } from './gamma.ts'

export type Query = Readonly<Record<string, string>>

const PAGE_LIMIT = '40'
const MOST_PAGES = 200

const PageSchema = z.object({ events: z.array(z.unknown()), next_cursor: z.string().nullish() })
const SearchSchema = z.object({ events: z.array(z.unknown()).nullish() })

/** All events that a query finds, page by page, each once whatever the pages repeat. */
export async function listEvents(
  gamma: VenueHttp,
  query: Query,
  signal: AbortSignal,
  onProblem: (reason: string) => void,
): Promise<GammaEvent[]> {
  const found = new Map<string, GammaEvent>()
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    // The name is `after_cursor`; `cursor` would be passed over and give the first page for ever.
    const parameters = new URLSearchParams({ ...query, limit: PAGE_LIMIT, ...(cursor && { after_cursor: cursor }) })
    const answer = await readPage(gamma, `/events/keyset?${parameters.toString()}`, signal)
    if (answer === undefined) break
    const sizeBefore = found.size
    for (const event of readEvents(answer.events, onProblem)) found.set(event.id, event)
    const next = answer.next_cursor
    if (!next) return [...found.values()]
    if (cursors.has(next) || found.size === sizeBefore) {
      onProblem('a list of events repeats its pages')
      break
    }
    cursors.add(next)
    cursor = next
  }
  return [...found.values()]
}

/** Undefined where the venue's window of results ends. */
async function readPage(
  gamma: VenueHttp,
  path: string,
  signal: AbortSignal,
): Promise<z.infer<typeof PageSchema> | undefined> {
  try {
    return PageSchema.parse(JSON.parse(await gamma.get(path, signal)))
  } catch (error) {
    if (error instanceof HttpRefusal && error.status === 422) return undefined
    throw error
  }
}

/** What the venue's search finds; for events whose slugs cannot be guessed. */
export async function searchEvents(
  gamma: VenueHttp,
  words: string,
  signal: AbortSignal,
  onProblem: (reason: string) => void,
): Promise<GammaEvent[]> {
  const parameters = new URLSearchParams({ q: words, limit_per_type: '50' })
  const answer = SearchSchema.parse(JSON.parse(await gamma.get(`/public-search?${parameters.toString()}`, signal)))
  return readEvents(answer.events ?? [], onProblem)
}

function readEvents(elements: readonly unknown[], onProblem: (reason: string) => void): GammaEvent[] {
  return elements.flatMap((element) => {
    const parsed = GammaEventSchema.safeParse(element)
    if (parsed.success) return [parsed.data]
    onProblem(`an event that can't be read: ${parsed.error.issues[0]?.path.join('.') ?? ''}`)
    return []
  })
}
