import type { Access } from '../wiring/open-access.ts'

/** The result of a command: printed as JSON, or as one line of `name=value` pairs. */
export type Finding = Readonly<Record<string, unknown>>

/** Opens the stores, runs the action, prints its result and closes the stores. */
export type Act = (
  isJson: boolean | undefined,
  action: (access: Access) => Promise<Finding | Finding[]>,
) => Promise<void>
