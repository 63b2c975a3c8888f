import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { RoomCommand } from './room-command.ts'

/** The first process of the room. The room ends with it, and it ends when its stdin is closed. */
const INIT = `set -e
cd "$1"
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs dev
for device in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'tty 5 0'; do
  set -- $device
  mknod -m 666 "dev/$1" c "$2" "$3"
done
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for number in 0 1 2; do ln -s "/proc/self/fd/$number" dev/; done
mv dev/0 dev/stdin; mv dev/1 dev/stdout; mv dev/2 dev/stderr
exec chroot . /bin/bash -c 'echo ready; read'`

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * A root folder used as an isolated machine: files and processes of the host are not visible. Mounts and processes
 * live in namespaces that end together with this process, however it ends. The network is the host's.
 */
export class CleanRoom implements AsyncDisposable {
  readonly #holder: ChildProcess & { readonly stdin: Writable }
  readonly #initPid: number
  readonly #namespace: string
  readonly #env: NodeJS.ProcessEnv

  private constructor(holder: ChildProcess & { readonly stdin: Writable }, variables: Record<string, string>) {
    this.#holder = holder
    this.#initPid = Number(readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim())
    this.#namespace = readlinkSync(`/proc/${this.#initPid}/ns/pid`)
    this.#env = { PATH, HOME: '/root', LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive', ...variables }
  }

  static async open(root: string, variables: Record<string, string>): Promise<CleanRoom> {
    const args = ['--mount', '--pid', '--fork', '--kill-child', '--', 'sh', '-c', INIT, 'sh', root]
    const holder = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
    const failed = once(holder, 'exit').then(() => {
      throw new Error('The clean room could not be opened; the reason is in the lines above.')
    })
    failed.catch(() => {})
    await Promise.race([once(holder.stdout as Readable, 'data'), failed])
    return new CleanRoom(holder as ChildProcess & { readonly stdin: Writable }, variables)
  }

  start(script: string): RoomCommand {
    const entering = ['--target', String(this.#initPid), '--mount', '--pid', '--root', '--wd']
    return new RoomCommand('nsenter', [...entering, '/bin/bash', '-c', script], this.#env)
  }

  /** Command lines of all processes in the room except the first. */
  processes(): string[] {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== this.#initPid)
    return pids.flatMap((pid) => {
      try {
        if (readlinkSync(`/proc/${pid}/ns/pid`) !== this.#namespace) return []
        if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return []
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()]
      } catch {
        // The process has ended in the meantime.
        return []
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return
    const ended = once(this.#holder, 'exit')
    this.#holder.stdin.end()
    await ended
  }
}

/** Mounts of this machine's own namespace at or below a folder. */
export function mountsBelow(folder: string, mountInfo = readFileSync('/proc/self/mountinfo', 'utf8')): string[] {
  const points = mountInfo.split('\n').flatMap((line) => line.split(' ')[4] ?? [])
  return points.filter((point) => point === folder || point.startsWith(`${folder}/`))
}
