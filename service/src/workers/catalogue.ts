import { setTimeout as sleep } from 'node:timers/promises'
import type { Resolution } from '../domain/market.ts'
import type { Markets } from '../stores/markets.ts'
import { isRefusal } from '../stores/postgres-database.ts'
import type { Sighting } from '../stores/postgres-market-rows.ts'
import { gather } from './gather.ts'
import { untilAborted } from './until-aborted.ts'

/** What `catalogue` needs of one message on the bus. */
export interface CatalogueMessage {
  readonly sightings: readonly Sighting[]
  readonly resolutions: readonly Resolution[]
  /** Only called when everything in it is stored. */
  acknowledge(): Promise<unknown>
  /** It can never be stored: put it aside. */
  refuse(reason: unknown): Promise<unknown>
}

interface CatalogueMeter {
  stored(messages: number): void
  refused(reason: unknown): void
  /** The store is away, or the bus didn't hear; both are tried again. */
  failed(error: unknown): void
}

export interface CatalogueDeps {
  readonly messages: AsyncIterable<CatalogueMessage>
  readonly markets: Pick<Markets, 'saveSightings' | 'saveResolutions'>
  readonly meter: CatalogueMeter
  /** Default 1000. */
  readonly retryAfterMs?: number
}

const RETRY_AFTER_MS = 1_000
const MOST_AT_ONCE = 500

/** Stores what markets exist and how they ended; a message is acknowledged when it is stored, and not before. */
export async function runCatalogue(deps: CatalogueDeps, signal: AbortSignal): Promise<void> {
  for await (const messages of gather(untilAborted(deps.messages, signal), MOST_AT_ONCE)) {
    await settle(deps, messages, signal)
    if (signal.aborted) return
  }
}

/** A message that is refused must not hold up the others: they are halved until it stands alone. */
async function settle(deps: CatalogueDeps, messages: readonly CatalogueMessage[], signal: AbortSignal): Promise<void> {
  const refusal = await store(deps, messages, signal)
  if (refusal === undefined) return
  const [first, ...others] = messages
  if (first !== undefined && others.length === 0) {
    deps.meter.refused(refusal)
    await first.refuse(refusal).catch((error: unknown) => deps.meter.failed(error))
    return
  }
  const middle = messages.length >>> 1
  await settle(deps, messages.slice(0, middle), signal)
  await settle(deps, messages.slice(middle), signal)
}

/** Tries until it is stored and acknowledged, or refused, or the signal says to stop; says why it was refused. */
async function store(
  deps: CatalogueDeps,
  messages: readonly CatalogueMessage[],
  signal: AbortSignal,
): Promise<unknown> {
  while (!signal.aborted) {
    try {
      await deps.markets.saveSightings(messages.flatMap(({ sightings }) => sightings))
      await deps.markets.saveResolutions(messages.flatMap(({ resolutions }) => resolutions))
    } catch (error) {
      if (isRefusal(error)) return error
      deps.meter.failed(error)
      await sleep(deps.retryAfterMs ?? RETRY_AFTER_MS, undefined, { signal }).catch(() => {})
      continue
    }
    deps.meter.stored(messages.length)
    await Promise.all(
      messages.map((message) => message.acknowledge().catch((error: unknown) => deps.meter.failed(error))),
    )
    return undefined
  }
  return undefined
}
