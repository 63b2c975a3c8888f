import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeKey } from '@bookreel/service/access/key-format'
import type { Progress } from '../experiment.ts'
import { HttpClient } from '../http-client.ts'
import { type GuessBench, KEY_PATH } from './guess-bench.ts'

export interface Flood {
  readonly sent: number
  readonly accepted: number
  readonly serverErrors: number
  readonly unanswered: number
  readonly keyReads: number
  readonly seconds: number
  readonly statuses: Readonly<Record<string, number>>
  /** Answers to a customer at one of the addresses, by status; 0 is no answer. */
  readonly honest: Readonly<Record<string, number>>
}

export interface FloodOptions {
  readonly guesses: number
  readonly addresses: number
  readonly concurrency: number
  readonly untilMs: number
}

/** The checksum is part of the published form of a key, but most guessers don't know it. */
const RIGHT_CHECKSUM = 0.1
const HONEST_EVERY_MS = 250
/** PostgreSQL publishes its counts within this time. */
const COUNTED_AFTER_MS = 1_500

/** Guesses keys from many addresses, while a customer with a real key works from one of them. */
export async function guessFlood(
  bench: GuessBench,
  { guesses, addresses, concurrency, untilMs }: FloodOptions,
  progress: Progress,
): Promise<Flood> {
  const { port } = bench.api
  using client = new HttpClient(concurrency)
  const customer = honestCustomer(port, await bench.honestKey(), addressOf(0))
  await customer.begun
  const readsBefore = await bench.keyReads()
  const statuses = new Map<number, number>()
  let [next, sent, unanswered] = [0, 0, 0]
  const fromMs = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let index = next++; index < guesses && performance.now() < untilMs; index = next++) {
        const headers = { 'x-api-key': guess(), 'x-forwarded-for': addressOf(index % addresses) }
        const ask = () => client.ask({ port, path: KEY_PATH, headers })
        // An idle connection may be closed by the server at the moment it is reused: retry once.
        const reply = await ask()
          .catch(ask)
          .catch(() => undefined)
        if (reply === undefined) unanswered++
        else statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
        progress(`${++sent} of ${guesses} guesses`)
      }
    }),
  )
  const seconds = (performance.now() - fromMs) / 1_000
  const honest = await customer.stop()
  await sleep(COUNTED_AFTER_MS)
  const count = (is: (status: number) => boolean): number =>
    [...statuses].reduce((sum, [status, times]) => sum + (is(status) ? times : 0), 0)
  return {
    sent,
    accepted: count((status) => status < 400),
    serverErrors: count((status) => status >= 500 && status !== 503),
    unanswered,
    keyReads: (await bench.keyReads()) - readsBefore,
    seconds,
    statuses: Object.fromEntries(statuses),
    honest,
  }
}

function guess(): string {
  return Math.random() < RIGHT_CHECKSUM ? makeKey() : `br_live_${randomBytes(19).toString('hex')}`
}

function addressOf(index: number): string {
  return `10.77.${Math.floor(index / 250)}.${(index % 250) + 1}`
}

function honestCustomer(port: number, key: string, address: string) {
  const client = new HttpClient(1)
  const over = new AbortController()
  const begun = Promise.withResolvers<void>()
  const statuses = new Map<number, number>()
  const running = (async () => {
    while (!over.signal.aborted) {
      const headers = { 'x-api-key': key, 'x-forwarded-for': address }
      const ask = () => client.ask({ port, path: KEY_PATH, headers })
      const reply = await ask()
        .catch(ask)
        .catch(() => undefined)
      const status = reply?.status ?? 0
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      begun.resolve()
      await sleep(HONEST_EVERY_MS, undefined, { signal: over.signal }).catch(() => {})
    }
  })()
  return {
    begun: begun.promise,
    async stop() {
      over.abort()
      await running
      client[Symbol.dispose]()
      return Object.fromEntries(statuses)
    },
  }
}
