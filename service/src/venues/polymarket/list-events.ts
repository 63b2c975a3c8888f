import { z } from 'zod'
import { HttpRefusal, type VenueHttp } from '../venue-http.ts'
import { type GammaEvent, GammaEventSchema } from './gamma.ts'

export type Query = Readonly<Record<string, string>>

const PAGE_LIMIT = '40'
const MOST_PAGES = 200

const PageSchema = z.object({ events: z.array(z.unknown()), next_cursor: z.string().nullish() })
const SearchSchema = z.object({ events: z.array(z.unknown()).nullish() })

/** Fetches all pages of a query; events that several pages repeat are returned once. */
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
    // The parameter is `after_cursor`; the venue ignores `cursor` and returns the first page again.
    const parameters = new URLSearchParams({ ...query, limit: PAGE_LIMIT, ...(cursor && { after_cursor: cursor }) })
    const answer = await readPage(gamma, `/events/keyset?${parameters.toString()}`, signal)
    if (answer === undefined) break
    const sizeBefore = found.size
    for (const event of readEvents(answer.events, onProblem)) found.set(event.id, event)
    const next = answer.next_cursor
    if (!next) return [...found.values()]
    if (cursors.has(next) || found.size === sizeBefore) {
      onProblem('the list of events repeats its pages')
      break
    }
    cursors.add(next)
    cursor = next
  }
  return [...found.values()]
}

/** Undefined after the last page that the venue allows, which it answers with 422. */
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

/** The venue's text search, for events whose slugs are not predictable. */
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
    onProblem(`invalid event in the catalogue: ${parsed.error.issues[0]?.path.join('.') ?? ''}`)
    return []
  })
}
