import { setTimeout as sleep } from 'node:timers/promises'
import { makeKey } from '@bookreel/service/access/key-format'
import { HttpClient } from '../http-client.ts'
import { percentile } from '../percentile.ts'
import { type GuessBench, KEY_PATH } from './guess-bench.ts'

export interface KeyTiming {
  /** Median response time in milliseconds. */
  readonly unknownMs: number
  readonly revokedMs: number
  readonly expiredMs: number
  /** Answers that differ in more than the id of the request. */
  readonly differentAnswers: number
}

/** A refused key is remembered for two seconds, and only the first answer reads the store. */
const FORGOTTEN_AFTER_MS = 2_200

/** Compares how long the API takes to refuse a key that never existed, was revoked, or has expired. */
export async function keyTiming(bench: GuessBench, keys: number, rounds: number): Promise<KeyTiming> {
  const revoked: string[] = []
  const expired: string[] = []
  for (let index = 0; index < keys; index++) {
    revoked.push(await bench.revokedKey())
    expired.push(await bench.expiredKey())
  }
  using client = new HttpClient(1)
  const took = { unknown: [] as number[], revoked: [] as number[], expired: [] as number[] }
  const answers = new Set<string>()
  let asked = 0
  const ask = async (kind: keyof typeof took, key: string, isMeasured: boolean): Promise<void> => {
    // Few refusals from each address, so that none is limited.
    const address = `10.78.${Math.floor(asked / 2_500)}.${Math.floor((asked++ / 10) % 250) + 1}`
    const fromMs = performance.now()
    const { status, body } = await client.ask({
      port: bench.api.port,
      path: KEY_PATH,
      headers: { 'x-api-key': key, 'x-forwarded-for': address },
    })
    if (!isMeasured) return
    took[kind].push(performance.now() - fromMs)
    answers.add(`${status} ${body.toString().replaceAll(/"request_id":"[^"]*"/g, '')}`)
  }
  for (let round = 0; round <= rounds; round++) {
    // The first round warms up.
    const isMeasured = round > 0
    for (let index = 0; index < keys; index++) {
      await ask('unknown', makeKey(), isMeasured)
      await ask('revoked', revoked[index] ?? '', isMeasured)
      await ask('expired', expired[index] ?? '', isMeasured)
    }
    await sleep(FORGOTTEN_AFTER_MS)
  }
  return {
    unknownMs: percentile(took.unknown, 0.5),
    revokedMs: percentile(took.revoked, 0.5),
    expiredMs: percentile(took.expired, 0.5),
    differentAnswers: answers.size - 1,
  }
}
