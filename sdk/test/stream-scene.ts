import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type GatewayNode, startGatewayNode } from '@bookreel/testbed/service/gateway-node'
import { TestService } from '@bookreel/testbed/service/test-service'
import { issueKey } from '../../service/src/access/issue-key.ts'
import { Bookreel, type StreamEvent } from '../src/index.ts'
import { CutLine } from './cut-line.ts'

/** A recorded world, a gateway over it, and a line between that and the clients which can be cut. */
export class StreamScene implements AsyncDisposable {
  readonly service: TestService
  readonly line: CutLine
  readonly #baseUrl: string
  #node: GatewayNode

  private constructor(service: TestService, baseUrl: string, node: GatewayNode, line: CutLine) {
    this.service = service
    this.#baseUrl = baseUrl
    this.#node = node
    this.line = line
  }

  static async open(): Promise<StreamScene> {
    const service = await TestService.start({ record: true })
    const baseUrl = await service.server.listen({ host: '127.0.0.1', port: 0 })
    const node = await startGatewayNode(service)
    return new StreamScene(service, baseUrl, node, await CutLine.to(node.port))
  }

  /** Only streams are there: the REST interface is at another. */
  get streamAddress(): string {
    return `ws://127.0.0.1:${this.line.port}`
  }

  clientOf(key: string): Bookreel {
    return new Bookreel({ baseUrl: this.#baseUrl, streamUrl: `${this.streamAddress}/v1/stream`, key })
  }

  async client(): Promise<Bookreel> {
    return this.clientOf(await this.service.keyOf('enterprise'))
  }

  /** A key of an account of its own, with exactly these credits. */
  async keyWith(credits: number): Promise<{ key: string; keyId: string }> {
    const { access } = this.service
    const { id: accountId } = await access.accounts.create('somebody')
    await access.accounts.setTier(accountId, { tier: 'pro', monthlyCredits: 0 })
    const { balance = 0 } = (await access.ledger.spendable(accountId)) ?? {}
    await access.ledger.grant({ accountId, credits: credits - balance, kind: 'adjustment', idem: 'test' })
    const { key, stored } = await issueKey(access, { accountId, label: 'test' })
    return { key, keyId: stored.id }
  }

  /** The crypto market that goes on for longest. */
  market(): string {
    const live = this.service.stores.catalogue.list({ category: 'crypto', statuses: ['live'] }, Date.now())
    const [market] = live.toSorted((one, other) => (other.endsAtMs ?? 0) - (one.endsAtMs ?? 0))
    if (market === undefined) throw new Error('no crypto market is live')
    return market.id
  }

  /** Ends the gateway and starts another one in its place. */
  async restartGateway(): Promise<void> {
    const next = await startGatewayNode(this.service)
    this.line.target = next.port
    await this.#node.stop()
    this.#node = next
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.line[Symbol.asyncDispose]()
    await this.#node.stop()
    await this.service[Symbol.asyncDispose]()
  }
}

/** The example, as a program of its own. */
export async function runBot(scene: StreamScene, options: readonly string[]): Promise<{ stdout: string }> {
  const key = await scene.service.keyOf('enterprise')
  const bot = join(import.meta.dirname, '..', '..', 'examples', 'bot.ts')
  const url = scene.streamAddress.replace(/^ws/, 'http')
  return promisify(execFile)('node', ['--conditions=bookreel-source', bot, '--url', url, '--key', key, ...options])
}

/** Reads until `isEnough`, which sees each event and all so far. */
export async function readUntil(
  events: AsyncIterable<StreamEvent>,
  isEnough: (event: StreamEvent, all: readonly StreamEvent[]) => unknown,
): Promise<StreamEvent[]> {
  const all: StreamEvent[] = []
  for await (const event of events) {
    all.push(event)
    if ((await isEnough(event, all)) === true) break
  }
  return all
}
