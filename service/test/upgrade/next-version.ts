import { randomUUID } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { prepare } from '../../src/commands/prepare.ts'
import type { Role } from '../../src/roles/role.ts'

/** The order in which rows pass the roles. */
export const UPGRADED_ROLES = ['capture', 'archive', 'hot', 'gateway', 'api'] as const
export type UpgradedRole = (typeof UPGRADED_ROLES)[number]

export interface ServiceVersion {
  readonly prepare: typeof prepare
  readonly roles: Readonly<Record<UpgradedRole, Role>>
}

const SERVICE = new URL('../../', import.meta.url)
const OUT = new URL('../../../out/', import.meta.url)

export function thisVersion(): Promise<ServiceVersion> {
  return versionIn(SERVICE)
}

/** A copy of the service with one more column in two tables, made as CONTRIBUTING.md says. */
export async function makeNextVersion(): Promise<{ version: ServiceVersion; remove(): Promise<void> }> {
  const folder = new URL(`next-version-${randomUUID()}/`, OUT)
  await mkdir(folder, { recursive: true })
  for (const name of ['src', 'migrations', 'package.json'])
    await cp(new URL(name, SERVICE), new URL(name, folder), {
      recursive: true,
      filter: (path) => !path.endsWith('.test.ts'),
    })
  await addColumn(folder, 'snapshot', 'quality', 'addedColumn(uint32, () => 7, { since: 2, before: 0 })')
  await addColumn(folder, 'gap', 'source', "addedColumn(string, () => 'recorder', { since: 2, before: '' })")
  const migrations = new URL('migrations/clickhouse/', folder)
  const number = (await readdir(migrations)).length + 1
  const text = '{{add columns snapshots 2}};\n{{add columns gaps 2}};\n'
  await writeFile(new URL(`${String(number).padStart(4, '0')}-quality-and-source.sql`, migrations), text)
  return { version: await versionIn(folder), remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Behind the last column of the table's description. */
async function addColumn(folder: URL, file: string, name: string, description: string): Promise<void> {
  const path = new URL(`src/domain/rows/${file}.ts`, folder)
  const text = await readFile(path, 'utf8')
  const changed = text
    .replace('({ column }) => ({', '({ column, addedColumn }) => ({')
    .replace(/\n {2}\}\),\n {2}\(values\)/, `\n    ${name}: ${description},$&`)
  if (!changed.includes(description) || changed === text) throw new Error(`no place for a column in ${file}.ts`)
  await writeFile(path, changed)
}

async function versionIn(folder: URL): Promise<ServiceVersion> {
  const load = (path: string) => import(pathToFileURL(fileURLToPath(new URL(path, folder))).href)
  const roles = await Promise.all(
    UPGRADED_ROLES.map(async (name) => [name, (await load(`src/roles/${name}-role.ts`))[`${name}Role`]]),
  )
  return { prepare: (await load('src/commands/prepare.ts')).prepare, roles: Object.fromEntries(roles) }
}
