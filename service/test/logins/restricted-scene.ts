import { Writable } from 'node:stream'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import type { Stack } from '@bookreel/stack/start-stack'
import { freePort } from '@bookreel/testbed/free-port'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { createPostgresLogins, settingsFor } from '@bookreel/testbed/stacks/test-logins'
import { processorSettings, venueSettings } from '@bookreel/testbed/venue-settings'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { runHeartbeat } from '../../src/bus/heartbeat.ts'
import { prepare } from '../../src/commands/prepare.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { LoginName } from '../../src/domain/grants/login-names.ts'
import { ROLES } from '../../src/roles/all-roles.ts'
import { openBus } from '../../src/wiring/engines.ts'

const SIZE = { hot: 2, medium: 2, cold: 2 }
const NOBODY = 'http://127.0.0.1:1'

/** Every role with its own login, in one process, on engines that an owner has prepared. */
export class RestrictedScene implements AsyncDisposable {
  readonly stack: Stack
  readonly simulator: Simulator
  readonly address: string
  readonly gatewayAddress: string
  /** Lines that the roles logged. */
  readonly logged: string[] = []
  readonly #settings: Record<string, string>
  readonly #stop = new AbortController()
  #roles: Promise<unknown> = Promise.resolve()

  private constructor(stack: Stack, simulator: Simulator, ports: { api: number; gateway: number }) {
    this.stack = stack
    this.simulator = simulator
    this.address = `http://127.0.0.1:${ports.api}`
    this.gatewayAddress = `ws://127.0.0.1:${ports.gateway}`
    this.#settings = {
      ...venueSettings(simulator.addresses),
      ...processorSettings(simulator.addresses),
      STREAM_MAX_BYTES: '500000000',
      KEY_PEPPER: 'a pepper that only tests know, long enough',
      PUBLIC_URL: this.address,
      PROBE_URL: this.address,
      HTTP_PORT: String(ports.api),
      GATEWAY_PORT: String(ports.gateway),
      OIDC_ISSUER: NOBODY,
      OIDC_CLIENT_ID: 'bookreel',
      OIDC_CLIENT_SECRET: 'none',
    }
  }

  /** The simulated venues begin at this time; a recorder needs that of the machine. */
  static async open(startMs = WORLD_NOW_MS): Promise<RestrictedScene> {
    const stack = await borrowStack()
    const simulator = await startSimulator({
      seed: 'logins',
      startMs,
      size: SIZE,
      speed: 1,
      port: 0,
      faults: [],
    })
    const scene = new RestrictedScene(stack, simulator, { api: await freePort(), gateway: await freePort() })
    await createPostgresLogins(stack)
    await prepare(scene.owner)
    return scene
  }

  get owner(): Config {
    return readConfig({ ...this.stack.variables, ...this.#settings })
  }

  configOf(name: LoginName): Config {
    return readConfig({ ...this.stack.variables, ...settingsFor(this.stack, name), ...this.#settings })
  }

  /** Starts every role with its own login. */
  run(): void {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.logged.push(String(chunk))
        done()
      },
    })
    const log = pino({ level: 'info' }, sink)
    const { signal } = this.#stop
    this.#roles = Promise.allSettled(
      Object.entries(ROLES).map(async ([name, load]) => {
        const config = this.configOf(name as LoginName)
        const registry = new Registry()
        const onTrouble = (error: unknown): void => log.warn({ err: error, role: name }, 'heartbeat failed')
        const connect = () => openBus(config, 'heartbeat')
        const heartbeat = runHeartbeat({ roles: [name], registry, connect, onTrouble }, signal)
        const role = await load()
        await role({ config, log: log.child({ role: name }), registry }, signal).catch((error: unknown) =>
          log.fatal({ err: error, role: name }, 'role failed'),
        )
        await heartbeat
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#roles
    await this.simulator.stop()
    await this.stack.stop()
  }
}
