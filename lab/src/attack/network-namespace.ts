import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { type ChildProgram, endProgram } from '../child-program.ts'

const run = promisify(execFile)
/** Of the range for benchmarks (RFC 2544), which no real network uses. */
const [OUTSIDE, INSIDE, PREFIX] = ['198.18.66.1', '198.18.66.2', 30]
const HOLDER = `process.on('disconnect', () => process.exit(0)); process.send('ready')`

/**
 * A network of its own with a link to this machine, for attackers that are not on loopback. Needs root rights. Only a
 * child process holds the network, so the kernel removes network and link in whatever way this process ends.
 */
export class NetworkNamespace implements AsyncDisposable {
  /** Address of this machine on the link. */
  readonly outside = OUTSIDE
  readonly #holder: ChildProgram

  private constructor(holder: ChildProgram) {
    this.#holder = holder
  }

  static isPossible(): boolean {
    return process.getuid?.() === 0 && spawnSync('unshare', ['--net', 'true']).status === 0
  }

  static async make(): Promise<NetworkNamespace> {
    await using parts = new AsyncDisposableStack()
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const
    const holder = spawn('unshare', ['--net', process.execPath, '-e', HOLDER], { stdio: [...stdio] }) as ChildProgram
    parts.defer(() => endProgram(holder))
    await once(holder, 'message')
    const link = `br${holder.pid}`
    const inside = (...args: readonly string[]) =>
      run('nsenter', ['--net', '--target', String(holder.pid), 'ip', ...args])
    await run('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'inside', 'netns', String(holder.pid)])
    await run('ip', ['addr', 'add', `${OUTSIDE}/${PREFIX}`, 'dev', link])
    await run('ip', ['link', 'set', link, 'up'])
    await inside('addr', 'add', `${INSIDE}/${PREFIX}`, 'dev', 'inside')
    await inside('link', 'set', 'inside', 'up')
    parts.move()
    return new NetworkNamespace(holder)
  }

  /** The command that runs a program inside. */
  get within(): readonly string[] {
    return ['nsenter', '--net', '--target', String(this.#holder.pid)]
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endProgram(this.#holder)
  }
}
