import type { PortClaims } from '../ports.ts'

/** What a stack has unless told otherwise. */
export const USUAL_ENGINES = ['clickhouse', 'nats', 'postgres', 'redis'] as const
/** What it can have beside them. */
export const OPTIONAL_ENGINES = ['identity'] as const
export type EngineKind = (typeof USUAL_ENGINES)[number] | (typeof OPTIONAL_ENGINES)[number]

/** One engine of a stack. Further ClickHouse shards are `clickhouse-2`, `clickhouse-3`, … */
export type EngineId = EngineKind | `clickhouse-${number}`

/** A program and, when it was unpacked privately, the folder of the libraries that came with it. */
export interface Program {
  readonly path: string
  readonly libraryPath?: string
}

export interface Command {
  readonly program: Program
  readonly args: readonly string[]
  /** PostgreSQL refuses to run as root; with this, a stack started by root hands it to another user. */
  readonly avoidRoot?: boolean
}

export interface Engine {
  /** Where it answers, without any password. */
  readonly address: string
  /** What a client needs to connect, as variables of the stack's environment file. */
  readonly variables: Readonly<Record<string, string>>
  readonly command: Command
  /** How it is asked to end cleanly. */
  readonly stopBy: NodeJS.Signals | 'closing stdin'
  /** Writes configuration and empty data. Called once, before the first start. */
  prepare(): Promise<void>
  /** Rejects until the engine lets our user in and serves; never waits longer than the signal allows. */
  probe(signal: AbortSignal): Promise<void>
  /** Called when it answers for the first time. */
  afterFirstStart?(): Promise<void>
  /** Removes what a killed engine leaves outside its folder. Called when it has ended and is not to return. */
  sweep?(): Promise<void>
}

export interface PlanningContext {
  readonly dir: string
  readonly ports: PortClaims
  readonly programs: Programs
  readonly newPassword: () => string
}

export interface Programs {
  readonly natsServer?: Program
  readonly postgres?: Program
  readonly redisServer?: Program
}
