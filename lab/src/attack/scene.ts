import type { Tier } from '@bookreel/service/domain/tier'

/** What the generators know about the service that they attack. Sent to their process as JSON. */
export interface Scene {
  readonly host: string
  readonly port: number
  /** Loopback addresses that connections come from; empty in a network namespace, which has an address of its own. */
  readonly addresses: readonly string[]
  readonly seconds: number
  /** Factor on all rates and numbers of connections. */
  readonly load: number
  /** Factor on the times that the service may tolerate a connection. */
  readonly patience: number
  /** By generator: the key of one account of each tier. */
  readonly keys: Readonly<Record<string, Readonly<Record<Tier, string>>>>
  /** Live markets. */
  readonly marketIds: readonly string[]
  /** Markets with rows of a finished hour. */
  readonly pastIds: readonly string[]
  readonly hourMs: number
  /** The range of the finished hour that has rows. */
  readonly pastRange: { readonly fromMs: number; readonly toMs: number }
}

const ADDRESSES = 2_000

/** Addresses of the attack; honest customers use others. */
export function attackAddresses(): string[] {
  return Array.from({ length: ADDRESSES }, (_, index) => `127.66.${Math.floor(index / 250)}.${(index % 250) + 1}`)
}
