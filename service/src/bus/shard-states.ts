import { z } from 'zod'
import type { KeyValues } from './key-values.ts'
import { isTaken } from './kv-errors.ts'

/** What the last recorder of a shard left for the next one. */
export interface ShardState {
  readonly epoch: number
  readonly lastTickMs: number
  /** The first tick of the recorder that wrote the state; its clock numbered all slots since. */
  readonly sinceTickMs?: number | undefined
  readonly marketIds: readonly string[]
  /** Inherited markets without a new row or gap record yet, with the last tick that is accounted for. */
  readonly waiting: Readonly<Record<string, number>>
  /** The last published trades of each perp. */
  readonly tradeIds?: Readonly<Record<string, readonly number[]>> | undefined
}

export interface SavedState extends ShardState {
  /** When it was saved, by the clock of the NATS server. */
  readonly savedAtMs: number
}

const Part = z.object({
  marketIds: z.array(z.string()).default([]),
  waiting: z.record(z.string(), z.number()).default({}),
})
/** Up to version 0.11 the markets were in the head itself. */
const Head = Part.extend({
  epoch: z.number(),
  lastTickMs: z.number(),
  sinceTickMs: z.number().optional(),
  tradeIds: z.record(z.string(), z.array(z.number())).optional(),
})
type Part = z.infer<typeof Part>

/** The markets of a shard are divided into this many keys, so that a message stays small and few are written again. */
const PARTS = 16
const EPOCHS_KEPT = 8

/** Reads a state; undefined when none was saved. */
export async function readState(states: KeyValues, name: string): Promise<SavedState | undefined> {
  const entry = await states.get(headKeyOf(name))
  if (entry === undefined) return undefined
  const head = Head.parse(JSON.parse(entry.value))
  const keys = partKeysOf(name, head.epoch)
  const parts = await Promise.all(keys.map((key) => states.get(key)))
  const read = [head, ...parts.flatMap((part) => (part === undefined ? [] : [Part.parse(JSON.parse(part.value))]))]
  return {
    ...head,
    marketIds: read.flatMap(({ marketIds }) => marketIds),
    waiting: Object.assign({}, ...read.map(({ waiting }) => waiting)),
    savedAtMs: entry.writtenAtMs,
  }
}

/** The epoch of the recorder that saved the state last; 0 when none was saved. */
export async function savedEpoch(states: KeyValues, name: string): Promise<number> {
  const entry = await states.get(headKeyOf(name))
  return entry === undefined ? 0 : Head.parse(JSON.parse(entry.value)).epoch
}

export async function deleteState(states: KeyValues, name: string): Promise<void> {
  const entry = await states.get(headKeyOf(name))
  if (entry === undefined) return
  await states.delete(headKeyOf(name))
  for (const key of partKeysOf(name, Head.parse(JSON.parse(entry.value)).epoch)) await states.delete(key)
}

/** A later recorder of the shard has saved its own state. */
class StateTaken extends Error {
  constructor(name: string) {
    super(`a later recorder has saved the state of shard ${name}`)
    this.name = 'StateTaken'
  }
}

/**
 * Saves the state of one shard again and again, and writes only what has changed. The markets are in keys of the
 * recorder's own epoch, and become valid with the head: a recorder that was suspended can't damage a later state.
 */
export class StateWriter {
  readonly #states: KeyValues
  readonly #name: string
  readonly #epoch: number
  readonly #written = new Map<string, string>()
  #headRevision: number | undefined

  constructor(states: KeyValues, name: string, epoch: number) {
    this.#states = states
    this.#name = name
    this.#epoch = epoch
  }

  /** All parts are written at first: what earlier recorders left in these keys is not known. */
  async write({ marketIds, waiting, ...others }: Omit<ShardState, 'epoch'>): Promise<void> {
    const parts = Array.from({ length: PARTS }, (): Part => ({ marketIds: [], waiting: {} }))
    for (const id of marketIds) parts[partOf(id)]?.marketIds.push(id)
    for (const [id, tickMs] of Object.entries(waiting)) {
      const part = parts[partOf(id)]
      if (part !== undefined) part.waiting[id] = tickMs
    }
    const keys = partKeysOf(this.#name, this.#epoch)
    // The markets come first: a market may be known too early to the next recorder, but never too late.
    await Promise.all(parts.map((part, number) => this.#writePart(keys[number] ?? '', part)))
    await this.#writeHead(JSON.stringify(headOf(this.#epoch, others)))
  }

  async #writePart(key: string, part: Part): Promise<void> {
    const text = JSON.stringify(part)
    if (this.#written.get(key) === text) return
    // Until the answer has come, it is not known what is stored.
    this.#written.delete(key)
    await this.#states.put(key, text)
    this.#written.set(key, text)
  }

  async #writeHead(text: string): Promise<void> {
    const key = headKeyOf(this.#name)
    try {
      if (this.#headRevision !== undefined) {
        this.#headRevision = await this.#states.update(key, text, this.#headRevision)
        return
      }
    } catch (error) {
      // The answer to an earlier write may have been lost.
      if (!isTaken(error)) throw error
    }
    const stored = await this.#states.get(key)
    const storedEpoch = stored && Head.parse(JSON.parse(stored.value)).epoch
    if (storedEpoch !== undefined && storedEpoch > this.#epoch) throw new StateTaken(this.#name)
    this.#headRevision = await (stored === undefined
      ? this.#states.create(key, text)
      : this.#states.update(key, text, stored.revision))
  }
}

function headOf(
  epoch: number,
  { lastTickMs, sinceTickMs, tradeIds }: Omit<ShardState, 'epoch' | 'marketIds' | 'waiting'>,
): object {
  return { epoch, lastTickMs, sinceTickMs, tradeIds }
}

function headKeyOf(name: string): string {
  return `shard.${name}`
}

/** A deleted key leaves a message for ever, so the keys of the last few epochs are used again. */
function partKeysOf(name: string, epoch: number): string[] {
  return Array.from({ length: PARTS }, (_, part) => `markets.${name}.${epoch % EPOCHS_KEPT}.${part}`)
}

function partOf(id: string): number {
  return (id.charCodeAt(id.length - 1) + 7 * id.charCodeAt(id.length - 2)) % PARTS
}
