import { setTimeout as sleep } from 'node:timers/promises'
import type { GroupLeases } from '../bus/group-leases.ts'

export interface HotGroupsDeps {
  readonly leases: Pick<GroupLeases, 'held' | 'countNodes' | 'isFree' | 'take' | 'renew' | 'release'>
  /** The shards of each group. */
  readonly groups: () => Promise<ReadonlyMap<string, readonly string[]>>
  readonly feed: { want(shard: string): void; leave(shard: string): void }
  /** Called with the number of groups of this process. */
  readonly onChange: (held: number) => void
  readonly onTrouble: (error: unknown) => void
}

const ROUND_MS = 500
const LOOK_FOR_GROUPS_EVERY_MS = 5_000
/** A group that this process has given away is still read, until another process reads it. Rows stored twice do no harm. */
const HANDOVER_MS = 1_500

/**
 * Divides the groups of shards among the processes of the role: each takes its share of the free ones, and gives away
 * what is more. While NATS does not answer, each keeps what it has.
 */
export class HotGroups {
  readonly #deps: HotGroupsDeps
  #groups: ReadonlyMap<string, readonly string[]> = new Map()
  #lookAtMs = 0
  readonly #read = new Set<string>()
  #wanted: ReadonlySet<string> = new Set()
  readonly #leaveAtMs = new Map<string, number>()
  /** Free in the last round, although another process may take more. */
  #leftOver: ReadonlySet<string> = new Set()

  constructor(deps: HotGroupsDeps) {
    this.#deps = deps
  }

  /** Runs until the signal, then releases all groups. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, onTrouble } = this.#deps
    while (!signal.aborted) {
      await this.#round().catch(onTrouble)
      await sleep(ROUND_MS, undefined, { signal }).catch(() => {})
    }
    await Promise.all(leases.held.map((group) => leases.release(group))).catch(onTrouble)
  }

  async #round(): Promise<void> {
    const { leases, onChange } = this.#deps
    await this.#lookForGroups()
    const nodes = await leases.countNodes()
    await Promise.all(leases.held.map((group) => this.#keep(group)))
    const share = Math.ceil(this.#groups.size / nodes)
    for (const group of leases.held.slice(share)) await this.#giveAway(group)
    await this.#takeFree(share)
    for (const [group, atMs] of this.#leaveAtMs) if (performance.now() >= atMs) this.#leave(group)
    onChange(leases.held.length)
  }

  async #lookForGroups(): Promise<void> {
    if (this.#groups.size > 0 && performance.now() < this.#lookAtMs) return
    this.#groups = await this.#deps.groups()
    this.#lookAtMs = performance.now() + LOOK_FOR_GROUPS_EVERY_MS
    for (const group of this.#deps.leases.held) if (!this.#groups.has(group)) await this.#giveAway(group)
    this.#subscribe()
  }

  async #keep(group: string): Promise<void> {
    if (!(await this.#deps.leases.renew(group))) this.#leave(group)
  }

  async #giveAway(group: string): Promise<void> {
    await this.#deps.leases.release(group)
    this.#leaveAtMs.set(group, performance.now() + HANDOVER_MS)
  }

  async #takeFree(share: number): Promise<void> {
    const { leases } = this.#deps
    const others = [...this.#groups.keys()].filter((group) => !leases.held.includes(group))
    const areFree = await Promise.all(others.map((group) => leases.isFree(group)))
    const free = others.filter((_, index) => areFree[index])
    for (const group of free) {
      const isMine = leases.held.length < share || this.#leftOver.has(group)
      if (isMine && (await leases.take(group))) this.#readGroup(group)
    }
    this.#leftOver = new Set(free.filter((group) => !leases.held.includes(group)))
  }

  #readGroup(group: string): void {
    this.#leaveAtMs.delete(group)
    this.#read.add(group)
    this.#subscribe()
  }

  #leave(group: string): void {
    this.#leaveAtMs.delete(group)
    this.#read.delete(group)
    this.#subscribe()
  }

  /** The shards of a group may have changed too. */
  #subscribe(): void {
    const { feed } = this.#deps
    const wanted = new Set([...this.#read].flatMap((group) => this.#groups.get(group) ?? []))
    for (const shard of this.#wanted) if (!wanted.has(shard)) feed.leave(shard)
    for (const shard of wanted) feed.want(shard)
    this.#wanted = wanted
  }
}
