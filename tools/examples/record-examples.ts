import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ErrorExample } from '@bookreel/service/http/examples'
import { type SimulatedService, startSimulatedService } from '../simulated-service.ts'
import { correctPastHour } from './correct-past-hour.ts'
import { type EventfulService, makeEventful } from './eventful-service.ts'
import {
  EXAMPLE_REQUESTS,
  type ExampleRequest,
  type ExampleValues,
  exampleName,
  filled,
  headersOf,
} from './example-requests.ts'
import { outage } from './outage.ts'
import { storePastPerpHour } from './past-perp-hour.ts'
import { openRefusalScene, recordRefusals } from './record-refusals.ts'
import { recordRefusal } from './refusal.ts'
import { STORE_UNAVAILABLE } from './refused-outages.ts'
import { jsonOf } from './sender.ts'
import { shorten } from './shorten.ts'

const FOLDER = 'docs/examples'
const MARKETS = 120
/** Keys are removed from examples. */
const KEY = /br_live_\w{20,}/g
const TIME_AGO_MS = 10_000

/**
 * Starts a service over a simulated world, lets things happen in it (gaps, charges, a paid invoice, a correction, an outage), and
 * records an answer of every endpoint and an example of every error code.
 */
export async function recordExamples(onProgress: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-examples-'))
  const signal = new AbortController().signal
  const service = await startSimulatedService({
    folder,
    port: 0,
    markets: MARKETS,
    withPastHour: true,
    onProgress,
    signal,
  })
  try {
    const { answers, refusals, failures } = await Promise.race([record(service, onProgress), service.broken])
    write(answers, refusals)
    if (failures.length > 0)
      throw new Error(`These requests failed and keep their old example:\n${failures.join('\n')}`)
  } finally {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function record(service: SimulatedService, onProgress: (line: string) => void) {
  const eventful = await makeEventful(service, onProgress)
  onProgress('correcting the past hour')
  await correctPastHour(service, eventful.values.PAST_MARKET, Date.parse(eventful.values.HOUR))
  await storePastPerpHour(service, Date.parse(eventful.values.HOUR))
  const scene = await openRefusalScene(eventful)
  onProgress('stopping ClickHouse until there is an incident')
  const refusals: Record<string, ErrorExample> = {}
  await outage(service, async () => {
    refusals.store_unavailable = await recordRefusal(STORE_UNAVAILABLE, scene)
  })
  onProgress('recording answers')
  const failures: string[] = []
  const answers = await recordAnswers(eventful, failures)
  onProgress('recording refusals')
  Object.assign(refusals, await recordRefusals(service, scene, failures))
  return { answers, refusals, failures }
}

/** The answers by the name of their file; answers without a body are undefined. */
async function recordAnswers(
  { service, user, userKey, values }: EventfulService,
  failures: string[],
): Promise<Record<string, unknown>> {
  const known: { -readonly [Name in keyof ExampleValues]?: string } = { ...values }
  const credentials = {
    anyone: {},
    pro: { 'X-API-Key': userKey },
    scale: { 'X-API-Key': service.keys.scale },
    session: { Cookie: user.cookie },
  }
  const answerOf = (request: ExampleRequest): Promise<unknown> => {
    const now = { ...known, TIME: String(Math.floor((Date.now() - TIME_AGO_MS) / 1_000)) }
    return jsonOf(service.address, {
      method: request.method,
      path: filled(request.path, now),
      headers: { ...credentials[request.as], ...headersOf(request, service.address) },
      ...(request.body !== undefined && { body: filled(JSON.stringify(request.body), now) }),
    })
  }
  const answers: Record<string, unknown> = {}
  for (const request of EXAMPLE_REQUESTS) {
    try {
      const answer = await answerOf(request)
      answers[exampleName(request)] = answer
      if (request.operation === 'create_api_key') known.KEY_ID = (answer as { id: string }).id
    } catch (error) {
      failures.push(`${exampleName(request)}: ${(error as Error).message}`)
    }
  }
  return answers
}

function write(answers: Record<string, unknown>, refusals: Record<string, ErrorExample>): void {
  const errors = join(FOLDER, 'errors')
  mkdirSync(errors, { recursive: true })
  for (const [name, answer] of Object.entries(answers)) {
    if (answer !== undefined) writeFileSync(join(FOLDER, `${name}.json`), textOf(shorten(answer)))
  }
  for (const [name, refusal] of Object.entries(refusals)) writeFileSync(join(errors, `${name}.json`), textOf(refusal))
}

/** Without keys, and with the payment page of the real processor instead of the simulated one. */
function textOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
    .replaceAll(KEY, `br_live_${'0'.repeat(38)}`)
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/pay\/(\d+)/g, 'https://nowpayments.io/payment/?iid=$1')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://bookreel.example')
}
