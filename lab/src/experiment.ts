import type { Bound } from './bound.ts'

/** One setting of an experiment. `default` also decides whether a number or a text is expected. */
export interface Option {
  readonly description: string
  readonly default: number | string
  /** The smallest number accepted. */
  readonly atLeast?: number
  /** The only texts accepted. */
  readonly oneOf?: readonly string[]
}

/** By name in camelCase: `batchCount` is given as `--batch-count`. */
export type Options = Readonly<Record<string, Option>>

export type Settings<O extends Options = Options> = {
  readonly [Name in keyof O]: O[Name]['default'] extends number
    ? number
    : O[Name]['default'] extends string
      ? string
      : number | string
}

/** Reports the progress of the run. May be called often. */
export type Progress = (message: string) => void

export interface Outcome {
  readonly bounds: readonly Bound[]
  /** Measured series by name; any JSON value. */
  readonly series: Readonly<Record<string, readonly unknown[]>>
  /** Text lines shown below the table. */
  readonly notes?: readonly string[]
}

export interface Experiment<O extends Options = Options> {
  /** Kebab-case, and the name of its file. */
  readonly name: string
  /** One sentence saying what is measured. */
  readonly summary: string
  readonly options: O
  /** Throws only when nothing could be measured; a bad result is a bound that is not met. */
  run(settings: Settings<O>, progress: Progress): Promise<Outcome>
}

/** The identity function; it types `settings` from the options beside it. */
export function experiment<const O extends Options>(definition: Experiment<O>): Experiment<O> {
  return definition
}
