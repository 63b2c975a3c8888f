import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../experiment.ts'
import { hundredths } from '../hundredths.ts'
import { cpuSecondsOf } from '../process-cpu.ts'
import type { RecordingService } from '../recording-service.ts'
import { ServiceProcess } from '../service-process.ts'
import { type Kill, SHARDS } from './kill.ts'

const SETTLED_WITHIN_S = 120
/** A standby keeps ten seconds; by then it has all of them. */
const RETAINED_MS = 11_000

export interface CpuOfRecorders {
  readonly recorders: number
  /** Cores that all recorders together use. */
  readonly cpu: number
  readonly markets: readonly number[]
  /** How far the share of one recorder is from an equal one, in %. */
  readonly spread: number
}

/** The recorder of the service and those that join it. */
export class RecorderGroup implements AsyncDisposable {
  readonly kills: Kill[] = []
  readonly takeOverMs: number[] = []
  readonly #service: RecordingService
  readonly #standbys: number
  readonly #joined: ServiceProcess[] = []

  constructor(service: RecordingService, { standbys }: { standbys: number }) {
    this.#service = service
    this.#standbys = standbys
  }

  get #all(): ServiceProcess[] {
    return [this.#service.role('capture'), ...this.#joined]
  }

  async add(): Promise<void> {
    const { environment, folder } = this.#service
    this.#joined.push(await ServiceProcess.start('capture', { ...environment }, folder))
  }

  async endNewest(): Promise<void> {
    await this.#joined.pop()?.[Symbol.asyncDispose]()
  }

  async killNewest(): Promise<void> {
    const killed = this.#joined.pop()
    if (killed === undefined) throw new Error('only one recorder is left')
    const shards = await this.#shardsOf(killed.pid)
    const atMs = Date.now()
    await killed.kill()
    await this.#until(async () => (await this.#sum('held')) === SHARDS, 'the shards of a killed recorder are taken')
    this.takeOverMs.push(Date.now() - atMs)
    this.kills.push({ atMs, backMs: Date.now() + 1_000, shards })
  }

  /** Every recorder has its share of the shards, and every shard its standbys with all that they keep. */
  async untilSettled(): Promise<void> {
    const most = Math.ceil(SHARDS / this.#all.length)
    const standbys = SHARDS * Math.min(this.#standbys, this.#all.length - 1)
    await this.#until(async () => {
      const held = await this.#each('held')
      if (Math.max(...held) > most || held.reduce((sum, each) => sum + each, 0) !== SHARDS) return false
      return (await this.#sum('standby')) >= standbys
    }, `${this.#all.length} recorders have equal shares`)
    if (this.#standbys > 0) await sleep(RETAINED_MS)
  }

  async measureCpu(counts: readonly number[], seconds: number, progress: Progress): Promise<CpuOfRecorders[]> {
    const measured: CpuOfRecorders[] = []
    for (const count of counts) {
      while (this.#all.length > count) await this.endNewest()
      while (this.#all.length < count) await this.add()
      progress(`CPU of ${count} recorders`)
      await this.untilSettled()
      await sleep(RETAINED_MS)
      const before = this.#all.map(({ pid }) => cpuSecondsOf(pid))
      await sleep(seconds * 1_000)
      const used = this.#all.reduce((sum, { pid }, index) => sum + cpuSecondsOf(pid) - (before[index] ?? 0), 0)
      const markets = await Promise.all(
        this.#all.map(async (each) => (await each.metric('capture_markets_followed')) ?? 0),
      )
      const equal = markets.reduce((sum, each) => sum + each, 0) / count
      const spread = Math.max(...markets.map((each) => (100 * Math.abs(each - equal)) / equal))
      measured.push({ recorders: count, cpu: hundredths(used / seconds), markets, spread })
    }
    return measured
  }

  async #each(place: 'held' | 'standby'): Promise<number[]> {
    const shards = await Promise.all(
      this.#all.map((process) =>
        process.metricsBy('capture_shards', 'place').catch(() => ({}) as Record<string, number>),
      ),
    )
    return shards.map((each) => each[place] ?? 0)
  }

  async #sum(place: 'held' | 'standby'): Promise<number> {
    return (await this.#each(place)).reduce((sum, each) => sum + each, 0)
  }

  async #until(isSo: () => Promise<boolean>, what: string): Promise<void> {
    const untilMs = performance.now() + SETTLED_WITHIN_S * 1_000
    while (!(await isSo())) {
      if (performance.now() > untilMs) throw new Error(`Not within ${SETTLED_WITHIN_S} s: ${what}`)
      await sleep(100)
    }
  }

  /** By the log, which all recorders share. */
  async #shardsOf(pid: number): Promise<string[]> {
    const lines = (await readFile(join(this.#service.folder, 'capture.log'), 'utf8')).split('\n')
    const holders = new Map<string, boolean>()
    for (const line of lines) {
      if (!line.includes(`"pid":${pid},`) || !/shard lease acquired|shard lease released|shard lost/.test(line))
        continue
      const { shard, msg } = JSON.parse(line) as { shard: string; msg: string }
      holders.set(shard, msg === 'shard lease acquired')
    }
    return [...holders].filter(([, isHeld]) => isHeld).map(([shard]) => shard)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#joined.map((each) => each[Symbol.asyncDispose]()))
  }
}
