import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { type Random, random } from '@bookreel/simulator/world/random'
import { ApiService, type LabAccount } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { Findings } from '../fuzz/findings.ts'
import { gatherFacts } from '../fuzz/gather-facts.ts'
import {
  type FuzzRequest,
  hostileRequest,
  type Material,
  nearValidRequest,
  servedRequest,
  validRequest,
} from '../fuzz/make-request.ts'
import { openBrowsers } from '../fuzz/open-browsers.ts'
import { type PastWorld, pastWorld, storePastWorld } from '../fuzz/past-world.ts'
import { rawAnswers, rawRequest, sendRaw } from '../fuzz/raw-request.ts'
import { secondPages } from '../fuzz/second-pages.ts'
import { storeFiles } from '../fuzz/store-files.ts'
import { HttpClient, type Reply } from '../http-client.ts'
import { percentile } from '../percentile.ts'
import { memoryMbOf } from '../process-memory.ts'
import { type Operation, PublishedSchema } from '../published-schema.ts'

/** Each operation first gets one plain request that must be served; the others are random. */
type Kind = 'served' | keyof typeof MAKERS | 'raw'

const MAKERS = { valid: validRequest, 'near-valid': nearValidRequest, hostile: hostileRequest }
/** Of a hundred random requests. */
const MIX: readonly (readonly [Exclude<Kind, 'served'>, number])[] = [
  ['valid', 30],
  ['near-valid', 40],
  ['hostile', 20],
  ['raw', 10],
]
const AMPLE_CREDITS = 50_000_000
const BROWSERS = 40
const MEMORY_EVERY = 200
/** Raw bytes come from one address, whose budget would refuse most of them unread. */
const UNLIMITED = { ANONYMOUS_RPM: '60000000' }
/** Sent by the HTTP server itself, before the request is handled. */
const EXPECTATION_FAILED = 417

export const fuzz = experiment({
  name: 'fuzz',
  summary:
    'Sends valid, invalid and hostile requests and checks that the API neither fails, leaks memory nor violates its schema.',
  options: {
    requests: { description: 'number of requests', default: 200_000, atLeast: 100 },
    concurrency: { description: 'concurrent requests', default: 16, atLeast: 1 },
    markets: { description: 'number of simulated markets recorded during the run', default: 40, atLeast: 20 },
    growthMb: { description: 'maximum memory growth of the process, in MB', default: 200, atLeast: 1 },
    busy: { description: 'maximum number of 503 responses', default: 0, atLeast: 0 },
    minutes: { description: 'maximum duration in minutes', default: 120, atLeast: 0.1 },
    seed: { description: 'seed of the requests and the simulated world', default: 'bookreel' },
  },
  async run({ requests, concurrency, markets, growthMb, busy, minutes, seed }, progress) {
    const world = ['--markets', String(markets), '--seed', seed]
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bookreel-fuzz-'))
    const settings = { ...UNLIMITED, OBJECT_STORE_URL: pathToFileURL(folder.path).href }
    const past = pastWorld(Date.now())
    await using service = await ApiService.start({ world, rows: 40, settings, listed: [past.market] }, progress)
    const { port } = service
    const pid = service.processes[0]?.pid ?? 0
    const document = await service.client.ask({ port, path: '/openapi.json' })
    const schema = new PublishedSchema(JSON.parse(document.body.toString()))
    const material = await gatherMaterial(service, schema.operations, past, progress)

    const findings = new Findings()
    const memory: number[] = []
    const untilMs = performance.now() + minutes * 60_000
    using client = new HttpClient(concurrency)
    let [next, done] = [0, 0]
    const work = async (): Promise<void> => {
      for (let index = next++; index < requests && performance.now() < untilMs; index = next++) {
        const draw = random(seed, 'request', index)
        const send = (kind: Kind, made: FuzzRequest): Promise<void> =>
          sendPlain({ client, port, index, kind, request: fromAnyAddress(made, draw) }, schema, findings)
        const operation = schema.operations[index]
        const kind = kindOf(draw)
        if (operation !== undefined) await send('served', servedRequest(material, operation, draw))
        else if (kind !== 'raw') await send(kind, MAKERS[kind](material, draw))
        else await sendRawBytes({ port, index, bytes: rawRequest(material, draw) }, schema, findings)
        if (++done % MEMORY_EVERY === 0) memory.push(memoryMbOf(pid))
        progress(
          `${done} of ${requests} requests, ${findings.serverErrors} failed, ${findings.breaches} schema violations`,
        )
      }
    }
    const fromMs = performance.now()
    await Promise.all(Array.from({ length: concurrency }, work))
    const seconds = (performance.now() - fromMs) / 1_000
    const isAlive = await client.isAnswered(port, '/health/live')
    const neverServed = findings.neverServed(schema.operations)
    return {
      bounds: [
        bound('requests', done, '=', requests),
        bound('responses with status 500 or above, except 503', findings.serverErrors, '<=', 0),
        bound('responses with status 503 (too busy)', findings.tooBusy, '<=', busy),
        bound('responses that violate the published schema', findings.breaches, '<=', 0),
        bound('operations that were never answered with success', neverServed.length, '<=', 0),
        bound('requests without a response', findings.unanswered, '<=', 0),
        bound('the same process still responds (1 = yes)', isAlive && isRunning(pid) ? 1 : 0, '=', 1),
        bound('memory growth of the process', growthOf(memory), '<=', growthMb, 'MB'),
      ],
      series: {
        requestsPerSecond: [Math.round(done / seconds)],
        answers: [findings.distribution()],
        neverServed,
        failed: findings.sorts(),
        failures: findings.failures,
        memoryMb: memory,
      },
      notes: [
        `${Math.round(done / seconds)} requests a second; memory of this program ${memoryMbOf(process.pid)} MB`,
        ...(neverServed.length > 0 ? [`never answered with success: ${neverServed.join(', ')}`] : []),
        `second pages of ${material.pages.length} lists`,
        ...findings.lines(),
      ],
    }
  },
})

/** Stores what ended before the run, opens accounts, and reads from the API what can be asked. */
async function gatherMaterial(
  service: ApiService,
  operations: readonly Operation[],
  past: PastWorld,
  progress: Progress,
): Promise<Material> {
  const samples = [await storePastWorld(service, past, progress)]
  const files = await storeFiles(service)
  progress('opening accounts')
  const accounts = await openKeyedAccounts(service)
  const keys = accounts.map((account) => account.key)
  const [key = ''] = keys
  const browsers = await openBrowsers(service, BROWSERS, AMPLE_CREDITS)
  const facts = await gatherFacts(service, { past, key, samples, files, keyIds: accounts.map(({ keyId }) => keyId) })
  const [browser] = browsers
  const pages = browser === undefined ? [] : await secondPages(service, operations, facts, { key, browser })
  return { operations, facts, keys, browsers, pages }
}

/** Mostly keys without a tight rate limit; some of every tier, and some without credits. */
async function openKeyedAccounts(service: ApiService): Promise<LabAccount[]> {
  const wide = await service.openAccounts(12, 'enterprise', AMPLE_CREDITS)
  const others = [
    ...(await service.openAccounts(4, 'scale', AMPLE_CREDITS)),
    ...(await service.openAccounts(4, 'pro', AMPLE_CREDITS)),
    ...(await service.openAccounts(6, 'free', AMPLE_CREDITS)),
    ...(await service.openAccounts(2, 'enterprise', 0)),
  ]
  return [...wide, ...wide, ...wide, ...others]
}

function kindOf(draw: Random): (typeof MIX)[number][0] {
  let left = draw.next() * 100
  for (const [kind, share] of MIX) {
    left -= share
    if (left < 0) return kind
  }
  return 'valid'
}

/** Use many client addresses, because failed keys are rate limited by address. */
function fromAnyAddress(request: FuzzRequest, draw: Random): FuzzRequest {
  const address = `10.${draw.whole(0, 255)}.${draw.whole(0, 255)}.${draw.whole(1, 254)}`
  return { ...request, headers: { 'x-forwarded-for': address, ...request.headers } }
}

interface PlainCase {
  readonly client: HttpClient
  readonly port: number
  readonly index: number
  readonly kind: Kind
  readonly request: FuzzRequest
}

async function sendPlain(
  { client, port, index, kind, request }: PlainCase,
  schema: PublishedSchema,
  findings: Findings,
): Promise<void> {
  const { method, path } = request
  const operation = schema.find(method === 'HEAD' ? 'GET' : method, path.split('?', 1)[0] ?? '')
  const route = operation === undefined ? 'nothing published' : `${method} ${operation.path}`
  const shown = `${method} ${path} ${JSON.stringify(request.headers)} ${request.body ?? ''}`
  let reply: Reply
  try {
    // An idle connection may be closed by the server at the moment it is reused: retry once.
    reply = await client.ask({ port, ...request }).catch(() => client.ask({ port, ...request }))
  } catch (error) {
    findings.unanswered++
    findings.count(route, 'no answer')
    findings.fail(route, { index, kind, request: shown, status: 'no answer', problem: String(error), answer: '' })
    return
  }
  const { status, headers } = reply
  findings.count(route, status)
  const isBare = method === 'HEAD' || (method === 'OPTIONS' && status === 204) || status === EXPECTATION_FAILED
  const text = isBare ? undefined : textOf(reply)
  const form = new URLSearchParams(path.slice(path.indexOf('?') + 1)).get('form') ?? undefined
  const problem =
    headers['x-request-id'] === undefined && status !== EXPECTATION_FAILED
      ? 'no X-Request-Id'
      : schema.problemOf(operation, { status, contentType: headers['content-type'], text, form })
  findings.noteStatus(status)
  if (operation?.method === method && status >= 200 && status < 300) findings.noteServed(operation.id)
  if (problem !== undefined) findings.breaches++
  if (status >= 500 || problem !== undefined) {
    const failure = { index, kind, request: shown, status, problem: problem ?? 'internal error', answer: text ?? '' }
    findings.fail(route, failure)
  }
}

async function sendRawBytes(
  { port, index, bytes }: { port: number; index: number; bytes: Buffer },
  schema: PublishedSchema,
  findings: Findings,
): Promise<void> {
  const answers = await sendRaw(port, bytes).then(rawAnswers, () => undefined)
  if (answers === undefined) findings.unanswered++
  if (answers === undefined || answers.length === 0) findings.count('raw bytes', 'closed')
  for (const answer of answers ?? []) {
    const { status, text } = answer
    findings.count('raw bytes', status)
    const problem = status < 400 ? undefined : schema.problemOf(undefined, answer)
    findings.noteStatus(status)
    if (problem !== undefined) findings.breaches++
    if (status < 500 && problem === undefined) continue
    const request = JSON.stringify(bytes.toString('latin1'))
    const failure = { index, kind: 'raw', request, status, problem: problem ?? 'internal error', answer: text ?? '' }
    findings.fail('raw bytes', failure)
  }
}

function textOf({ body, headers }: Reply): string {
  const decoders = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
  const decode = decoders[headers['content-encoding'] as keyof typeof decoders]
  return (decode === undefined ? body : decode(body)).toString('utf8')
}

function isRunning(pid: number): boolean {
  return !Number.isNaN(memoryMbOf(pid))
}

/** From the second tenth, when everything has been used once, to the last. */
function growthOf(memory: readonly number[]): number {
  const tenth = Math.max(1, Math.floor(memory.length / 10))
  return percentile(memory.slice(-tenth), 0.5) - percentile(memory.slice(tenth, 2 * tenth), 0.5)
}
