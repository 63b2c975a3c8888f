import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '../src/start-stack.ts'

/** Polls until the condition holds; on timeout throws an error with the last value. */
export async function eventually<T>(read: () => T | Promise<T>, condition: (value: T) => boolean, timeoutMs = 60_000) {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const value = await read()
    if (condition(value)) return value
    if (performance.now() > deadlineMs)
      throw new Error(`Condition not met within ${timeoutMs} ms; last value: ${JSON.stringify(value)}`)
    await sleep(25)
  }
}

/** Processes of the stack in this folder: their arguments name the folder, or their working folder is inside it. */
export function processesOf(dir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        const works = readlinkSync(`/proc/${pid}/cwd`).startsWith(dir)
        return works || readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(dir)
      } catch {
        return false
      }
    })
}

/** Files that a process has opened or mapped for writing, except pipes, sockets and devices. */
export function filesWrittenBy(pid: number): string[] {
  const open = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/${pid}/fd/${fd}`)
      const flags = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8').match(/^flags:\s*(\d+)/m)?.[1] ?? '0'
      return (Number.parseInt(flags, 8) & 3) === 0 ? [] : [file]
    } catch {
      return []
    }
  })
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8')
  const mapped = [...maps.matchAll(/^\S+ rw-s \S+ \S+ [1-9]\d* +(.*)$/gm)].map((match) => match[1] ?? '')
  const unnamed = /^(\/dev\/(null|zero|ptmx)|\/SYSV|\/anon_hugepage|\/memfd:)/
  return [...open, ...mapped].filter((file) => file.startsWith('/') && !unnamed.test(file))
}

/** All listening addresses of this machine, such as `127.0.0.1:4222`. */
export function listeningAddresses(): string[] {
  const lines = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
  return lines.flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/)
    if (state !== '0A') return []
    const [address = '', port = ''] = local.split(':')
    const shown = address === '0100007F' ? '127.0.0.1' : address
    return [`${shown}:${Number.parseInt(port, 16)}`]
  })
}

export function portsOf(stack: Pick<Stack, 'record'>): number[] {
  return stack.record.engines.flatMap(({ plan }) =>
    plan.kind === 'clickhouse' ? [plan.httpPort, plan.tcpPort] : [plan.port],
  )
}

/** Pids of the creators of existing shared memory segments. */
export function sharedMemoryCreators(): number[] {
  const lines = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n').slice(1)
  return lines.map((line) => Number(line.trim().split(/\s+/)[4]))
}
