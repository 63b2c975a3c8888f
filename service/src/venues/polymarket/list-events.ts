import { z } from 'zod'
import { HttpRefusal, type VenueHttp } from '../venue-http.ts'
import { type GammaEvent, GammaEventSchema } from './gamma.ts'

export type Query = Readonly<Record<string, string>>

/** Called for a part of an answer that could not be read. */
export type OnProblem = (reason: string) => void

export interface EventList {
  events: readonly GammaEvent[]
  /** The last page was not reached: an event that is missing here may exist. */
  isPartial: boolean
}

const PAGE_LIMIT = '40'
const MOST_PAGES = 200

const PageSchema = z.object({ events: z.array(z.unknown()), next_cursor: z.string().nullish() })
const SearchSchema = z.object({ events: z.array(z.unknown()).nullish() })

/** Fetches all pages of a query; events that several pages repeat are returned once. Throws if the first page fails. */
export async function listEvents(
  gamma: VenueHttp,
  query: Query,
  signal: AbortSignal,
  onProblem: OnProblem,
): Promise<EventList> {
  const found = new Map<string, GammaEvent>()
  const partial = (reason: string): EventList => {
    onProblem(reason)
    return { events: [...found.values()], isPartial: true }
  }
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    // The parameter is `after_cursor`; the venue ignores `cursor` and returns the first page again.
    const parameters = new URLSearchParams({ ...query, limit: PAGE_LIMIT, ...(cursor && { after_cursor: cursor }) })
    const answer = await readPage(gamma, `/events/keyset?${parameters.toString()}`, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      if (cursor === undefined) throw error
      return undefined
    })
    if (answer === undefined) return partial('a page of the list of events is missing')
    const sizeBefore = found.size
    for (const event of readEvents(answer.events, onProblem)) found.set(event.id, event)
    const next = answer.next_cursor
    if (!next) return { events: [...found.values()], isPartial: false }
    if (cursors.has(next) || found.size === sizeBefore) return partial('the list of events repeats its pages')
    cursors.add(next)
    cursor = next
  }
  return partial(`the list of events has more than ${MOST_PAGES} pages`)
}

/** One page of a list of events, as the venue sends it. */
export async function readPage(
  gamma: VenueHttp,
  path: string,
  signal: AbortSignal,
): Promise<z.infer<typeof PageSchema>> {
  return PageSchema.parse(JSON.parse(await gamma.get(path, signal)))
}

/** The venue's text search, for events whose slugs are not predictable. It shows the best matches only. */
export async function searchEvents(
  gamma: VenueHttp,
  words: string,
  signal: AbortSignal,
  onProblem: OnProblem,
): Promise<EventList> {
  const parameters = new URLSearchParams({ q: words, limit_per_type: '50' })
  const answer = SearchSchema.parse(JSON.parse(await gamma.get(`/public-search?${parameters.toString()}`, signal)))
  return { events: readEvents(answer.events ?? [], onProblem), isPartial: false }
}

/** Undefined when the venue has no event with this slug. */
export async function fetchEvent(
  gamma: VenueHttp,
  slug: string,
  signal: AbortSignal,
  onProblem: OnProblem,
): Promise<GammaEvent | undefined> {
  try {
    return readEvents([JSON.parse(await gamma.get(`/events/slug/${slug}`, signal))], onProblem)[0]
  } catch (error) {
    if (error instanceof HttpRefusal && error.status === 404) return undefined
    throw error
  }
}

function readEvents(elements: readonly unknown[], onProblem: OnProblem): GammaEvent[] {
  return elements.flatMap((element) => {
    const parsed = GammaEventSchema.safeParse(element)
    if (parsed.success) return [parsed.data]
    onProblem(`invalid event in the catalogue: ${parsed.error.issues[0]?.path.join('.') ?? ''}`)
    return []
  })
}
