import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccessControl } from '@bookreel/service/access/access-control'
import { AccountConcurrency } from '@bookreel/service/access/account-concurrency'
import { buildServer } from '@bookreel/service/http/server'
import { apiMetrics } from '@bookreel/service/pipeline/api-metrics'
import type { OpenStores } from '@bookreel/service/wiring/open-stores'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { WORLD_NOW_MS } from '../world/world-times.ts'

const ROUNDS = 6
const BLOCKED_MS = 1_200

export interface OverloadedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The first refused answer of a server in this process, whose event loop is blocked meanwhile. The path must need no store. */
export async function answerOfOverloadedServer(path: string): Promise<OverloadedAnswer> {
  const server = await buildServer({
    pipeline: {
      accessControl: { isKnown: () => false } as unknown as AccessControl,
      concurrency: new AccountConcurrency(),
      stores: {} as OpenStores,
      metrics: apiMetrics(new Registry()),
      nowMs: () => WORLD_NOW_MS,
    },
    log: pino({ level: 'silent' }),
    isHttpsRequired: false,
    trustedProxies: [],
  })
  try {
    await server.ready()
    const answers: Promise<OverloadedAnswer>[] = []
    const ask = async (): Promise<OverloadedAnswer> => {
      const { statusCode: status, headers, body: text } = await server.inject(path)
      return { status, headers: headers as Record<string, string>, text }
    }
    for (let round = 0; round < ROUNDS; round++) {
      answers.push(ask())
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS)
      await nextTurn()
    }
    const refused = (await Promise.all(answers)).find(({ status }) => status !== 200)
    if (refused === undefined) throw new Error('the overloaded server refused nothing')
    return refused
  } finally {
    await server.close()
  }
}
