import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine, PlanningContext, Program } from './engine.ts'
import { exchange } from './exchange.ts'

export interface NatsPlan {
  readonly kind: 'nats'
  readonly id: 'nats'
  readonly folder: string
  readonly program: Program
  readonly port: number
  readonly user: string
  readonly password: string
  readonly otherUsers: readonly object[]
}

export async function planNats({ dir, users, ports, programs, newPassword }: PlanningContext): Promise<NatsPlan> {
  if (!programs.natsServer) throw new Error('nats-server was not located')
  return {
    kind: 'nats',
    id: 'nats',
    folder: join(dir, 'nats'),
    program: programs.natsServer,
    port: await ports.take(),
    user: 'bookreel',
    password: newPassword(),
    otherUsers: users?.nats ?? [],
  }
}

export function nats({ folder, program, port, user, password, otherUsers }: NatsPlan): Engine {
  const configFile = join(folder, 'nats.conf')
  const address = `nats://127.0.0.1:${port}`
  return {
    address,
    variables: { NATS_URL: address, NATS_USER: user, NATS_PASSWORD: password },
    command: { program, args: ['--config', configFile] },
    stopBy: 'SIGTERM',

    async prepare() {
      await mkdir(folder, { recursive: true })
      // `always`: a message is synced to disk before it is acknowledged. The default syncs every two minutes.
      const config = `
        listen: "127.0.0.1:${port}"
        jetstream { store_dir: ${JSON.stringify(join(folder, 'data'))}, sync_interval: always }
        authorization { timeout: 20, users: ${JSON.stringify([{ user, password }, ...otherUsers])} }
      `
      await writeFile(configFile, config.replace(/^\s+/gm, ''), { mode: 0o600 })
    },

    async probe(signal) {
      const request = [
        `CONNECT ${JSON.stringify({ user, pass: password, verbose: false, pedantic: false })}`,
        'SUB _INBOX.probe 1',
        'PUB $JS.API.INFO _INBOX.probe 0',
        '',
        '',
      ].join('\r\n')
      const reply = await exchange(port, request, (text) => /^(-ERR|MSG .*\r\n\{.*\}\r\n)/m.test(text), signal)
      if (/^-ERR/m.test(reply) || /"error":/.test(reply)) throw new Error(`NATS answered ${reply}`)
    },
  }
}
