import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type GatewayNode, startGatewayNode } from '@bookreel/testbed/service/gateway-node'
import { TestService, type TestServiceOptions } from '@bookreel/testbed/service/test-service'
import { issueKey } from '../../service/src/access/issue-key.ts'
import { Bookreel, type BookreelOptions, type StreamEvent } from '../src/index.ts'
import { BreakingProxy } from './breaking-proxy.ts'

/** A world, a gateway, and a proxy whose connections to the gateway can be broken. */
export class StreamScene implements AsyncDisposable {
  readonly service: TestService
  readonly proxy: BreakingProxy
  readonly #baseUrl: string
  #node: GatewayNode

  private constructor(service: TestService, baseUrl: string, node: GatewayNode, proxy: BreakingProxy) {
    this.service = service
    this.#baseUrl = baseUrl
    this.#node = node
    this.proxy = proxy
  }

  static async open(options: Pick<TestServiceOptions, 'world'>): Promise<StreamScene> {
    const service = await TestService.start(options)
    const baseUrl = await service.server.listen({ host: '127.0.0.1', port: 0 })
    const node = await startGatewayNode(service)
    return new StreamScene(service, baseUrl, node, await BreakingProxy.to(node.port))
  }

  /** Address of the gateway, which serves streams only; REST has another address. */
  get streamAddress(): string {
    return `ws://127.0.0.1:${this.proxy.port}`
  }

  clientOf(key: string, Socket?: BookreelOptions['WebSocket']): Bookreel {
    const urls = { baseUrl: this.#baseUrl, streamUrl: `${this.streamAddress}/v1/stream` }
    return new Bookreel({ ...urls, key, WebSocket: Socket })
  }

  async client(): Promise<Bookreel> {
    return this.clientOf(await this.service.keyOf('enterprise'))
  }

  /** Creates an account with exactly these credits, and a key for it. */
  async keyWith(credits: number): Promise<{ key: string; keyId: string }> {
    const { access } = this.service
    const { id: accountId } = await access.accounts.create('somebody')
    await access.accounts.setTier(accountId, { tier: 'pro', monthlyCredits: 0 })
    const { balance = 0 } = (await access.ledger.spendable(accountId)) ?? {}
    await access.ledger.grant({ accountId, credits: credits - balance, kind: 'adjustment', idem: 'test' })
    const { key, stored } = await issueKey(access, { accountId, label: 'test' })
    return { key, keyId: stored.id }
  }

  /** Replaces the gateway by a new one. */
  async restartGateway(): Promise<void> {
    const next = await startGatewayNode(this.service)
    this.proxy.target = next.port
    await this.#node.stop()
    this.#node = next
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]()
    await this.#node.stop()
    await this.service[Symbol.asyncDispose]()
  }
}

/** Runs examples/bot.ts as a separate process. */
export async function runBot(scene: StreamScene, options: readonly string[]): Promise<{ stdout: string }> {
  const key = await scene.service.keyOf('enterprise')
  const bot = join(import.meta.dirname, '..', '..', 'examples', 'bot.ts')
  const url = scene.streamAddress.replace(/^ws/, 'http')
  return promisify(execFile)('node', ['--conditions=bookreel-source', bot, '--url', url, '--key', key, ...options])
}

/** Reads events until `isEnough` returns true; it gets the newest event and all events so far. */
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
