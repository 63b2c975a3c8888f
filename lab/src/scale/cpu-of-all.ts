import { cpuSecondsWithChildren } from '../process-cpu.ts'

export type CpuSeconds = Readonly<Record<string, number>>

/** CPU time of each process since this call, in seconds. */
export function cpuOfAll(pids: ReadonlyMap<string, number>): () => CpuSeconds {
  const before = new Map([...pids].map(([name, pid]) => [name, cpuSecondsWithChildren(pid)]))
  return () =>
    Object.fromEntries([...pids].map(([name, pid]) => [name, cpuSecondsWithChildren(pid) - (before.get(name) ?? 0)]))
}

/** What some processes used, less what they use anyway in the same time. */
export function cpuAbove(
  used: CpuSeconds,
  names: readonly string[],
  usual: { readonly cpuPerSecond: CpuSeconds; readonly seconds: number },
): number {
  const total = names.reduce(
    (sum, name) => sum + (used[name] ?? 0) - (usual.cpuPerSecond[name] ?? 0) * usual.seconds,
    0,
  )
  return Math.max(0, total)
}
