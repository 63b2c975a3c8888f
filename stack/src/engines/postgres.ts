import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runToEnd } from '../run-to-end.ts'
import type { Engine, PlanningContext, Program } from './engine.ts'
import { exchange } from './exchange.ts'

export interface PostgresPlan {
  readonly kind: 'postgres'
  readonly id: 'postgres'
  readonly folder: string
  readonly program: Program
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** Secret that API keys are hashed with; it belongs to the keys in this database. */
  readonly keyPepper: string
}

export async function planPostgres({ dir, ports, programs, newPassword }: PlanningContext): Promise<PostgresPlan> {
  if (!programs.postgres) throw new Error('PostgreSQL was not located')
  return {
    kind: 'postgres',
    id: 'postgres',
    folder: join(dir, 'postgres'),
    program: programs.postgres,
    port: await ports.take(),
    user: 'bookreel',
    password: newPassword(),
    database: 'bookreel',
    keyPepper: newPassword(),
  }
}

export function postgres({ folder, program, port, user, password, database, keyPepper }: PostgresPlan): Engine {
  const dataFolder = join(folder, 'data')
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // The default leaves files in /dev/shm when the server is killed.
    dynamic_shared_memory_type: 'mmap',
    // A server unpacked into the cache has no LLVM library, which JIT would load.
    jit: 'off',
  }
  return {
    address: `postgres://127.0.0.1:${port}/${database}`,
    variables: {
      DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
      KEY_PEPPER: keyPepper,
      PG_PROGRAMS: dirname(program.path),
      ...(program.libraryPath !== undefined && { PG_LIBRARIES: program.libraryPath }),
    },
    command: {
      program,
      args: ['-D', dataFolder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      avoidRoot: true,
    },
    stopBy: 'SIGINT',

    async prepare() {
      await mkdir(folder, { recursive: true })
      const passwordFile = join(folder, 'password')
      await writeFile(passwordFile, password, { mode: 0o600 })
      const initdb = { ...program, path: join(dirname(program.path), 'initdb') }
      const choices = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
      const identity = [`--username=${user}`, `--pwfile=${passwordFile}`]
      await runToEnd({ program: initdb, args: ['-D', dataFolder, ...identity, ...choices], avoidRoot: true })
      await rm(passwordFile)
      const createDatabase = { program, args: ['--single', '-D', dataFolder, 'postgres'], avoidRoot: true }
      await runToEnd(createDatabase, `CREATE DATABASE ${database}\n`)
    },

    async probe(signal) {
      const reply = await exchange(port, startupMessage(user, database), (bytes) => bytes.length > 0, signal)
      // 'R' requests the password; a server that is still starting or recovering does not send it.
      if (!reply.startsWith('R')) throw new Error(`PostgreSQL answered ${reply}`)
    },

    async sweep() {
      const sharedMemoryId = await abandonedSharedMemory(dataFolder)
      if (sharedMemoryId) await runToEnd({ program: { path: 'ipcrm' }, args: ['-m', sharedMemoryId] }).catch(() => {})
    },
  }
}

function startupMessage(user: string, database: string): Buffer {
  const parameters = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const header = Buffer.alloc(8)
  header.writeInt32BE(header.length + parameters.length, 0)
  header.writeInt32BE(0x0003_0000, 4)
  return Buffer.concat([header, parameters])
}

/** After a clean stop neither the shared memory segment nor the file that names it (line 7: key and id) exists. */
async function abandonedSharedMemory(dataFolder: string): Promise<string | undefined> {
  const lines = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => '')
  return lines.split('\n')[6]?.trim().split(/\s+/)[1]
}
