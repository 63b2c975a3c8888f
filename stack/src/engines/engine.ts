import type { PortClaims } from '../ports.ts'

/** The engines of a stack by default. */
export const USUAL_ENGINES = ['clickhouse', 'nats', 'postgres', 'redis'] as const
/** Engines that a stack has only on request. */
export const OPTIONAL_ENGINES = ['identity'] as const
export type EngineKind = (typeof USUAL_ENGINES)[number] | (typeof OPTIONAL_ENGINES)[number]

/** Id of one engine of a stack. Further ClickHouse shards and Redis nodes are `clickhouse-2`, `redis-2`, … */
export type EngineId = EngineKind | `clickhouse-${number}` | `redis-${number}`

/** A program and, when it was unpacked into the cache, the folder of its libraries. */
export interface Program {
  readonly path: string
  readonly libraryPath?: string
}

export interface Command {
  readonly program: Program
  readonly args: readonly string[]
  /** Run as another user when the stack is started by root, because PostgreSQL refuses to run as root. */
  readonly avoidRoot?: boolean
}

export interface Engine {
  /** Address of the engine, without password. */
  readonly address: string
  /** Connection settings for clients, as variables of the stack's environment file. */
  readonly variables: Readonly<Record<string, string>>
  readonly command: Command
  /** How to stop it cleanly. */
  readonly stopBy: NodeJS.Signals | 'closing stdin'
  /** Writes configuration and empty data. Called once, before the first start. */
  prepare(): Promise<void>
  /** Health check: rejects until the engine accepts our user and serves requests. */
  probe(signal: AbortSignal): Promise<void>
  /** Called once, when the engine is healthy for the first time. */
  afterFirstStart?(): Promise<void>
  /** Removes what a killed engine leaves outside its folder. Called after its final stop. */
  sweep?(): Promise<void>
}

/** Further users of the engines, besides the one in the variables of the stack. PostgreSQL gets its users by SQL. */
export interface EngineUsers {
  /** A document for `users.d`. */
  readonly clickhouse: string
  /** Entries of `users` in the config of NATS. */
  readonly nats: readonly object[]
  /** Lines of `redis.conf`. */
  readonly redis: readonly string[]
}

export interface PlanningContext {
  readonly dir: string
  readonly users: EngineUsers | undefined
  readonly ports: PortClaims
  readonly programs: Programs
  readonly newPassword: () => string
}

export interface Programs {
  readonly natsServer?: Program
  readonly postgres?: Program
  readonly redisServer?: Program
}
