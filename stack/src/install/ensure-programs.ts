import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineKind, Program, Programs } from '../engines/engine.ts'
import { programCache } from '../environment.ts'
import { cannotDownload, cannotStart, missingTools, missingToolsSentence } from './install-advice.ts'
import { withLock } from './install-lock.ts'
import { KNOWN_PROGRAMS, type KnownProgram, type ProgramName } from './known-programs.ts'
import { locateInstalled, locateUnpacked } from './locate-program.ts'
import { PrivateApt } from './private-apt.ts'

type OnProgress = (line: string) => void

/** Locates the programs of these engines and downloads missing ones. ClickHouse is an npm package. */
export async function ensurePrograms(kinds: readonly EngineKind[], onProgress: OnProgress): Promise<Programs> {
  const wanted: (keyof Programs)[] = []
  if (kinds.includes('nats')) wanted.push('natsServer')
  if (kinds.includes('postgres')) wanted.push('postgres')
  if (kinds.includes('redis')) wanted.push('redisServer')
  const programs = await Promise.all(wanted.map(async (name) => [name, await ensureProgram(name, onProgress)] as const))
  return Object.fromEntries(programs)
}

export function ensureProgram(name: ProgramName, onProgress: OnProgress): Promise<Program> {
  return ensureKnown(KNOWN_PROGRAMS[name], onProgress)
}

export async function ensureKnown(known: KnownProgram, onProgress: OnProgress): Promise<Program> {
  // Without setpriv no program can be started, so every program would seem to be missing.
  if (missingTools(['setpriv']).length > 0) throw cannotStart(known)
  const present = await find(known)
  if (present) return present
  const missing = missingTools(['apt-get', 'dpkg', 'flock'])
  if (missing.length > 0) throw cannotDownload(known, missingToolsSentence(missing))
  onProgress(`${known.title} is not installed; downloading the Debian package ${known.packageName} …`)
  await mkdir(programCache, { recursive: true })
  return withLock(join(programCache, `${known.packageName}.lock`), async () => {
    // Another process may have downloaded it while this one waited for the lock.
    return (await find(known)) ?? (await downloadProgram(known, onProgress))
  })
}

async function find(known: KnownProgram): Promise<Program | undefined> {
  return (await locateUnpacked(known, cacheFolder(known))) ?? (await locateInstalled(known))
}

function cacheFolder({ packageName }: KnownProgram): string {
  return join(programCache, packageName)
}

/** Unpacks into a temporary folder and renames it, so that the cache never contains an incomplete program. */
async function downloadProgram(known: KnownProgram, onProgress: OnProgress): Promise<Program> {
  const { packageName, title, suite } = known
  const prefix = `.downloading-${packageName}-`
  const leftovers = (await readdir(programCache)).filter((file) => file.startsWith(prefix))
  for (const file of leftovers) await rm(join(programCache, file), { recursive: true })
  const startedAtMs = Date.now()
  let packages = 0
  const work = await mkdtemp(join(programCache, prefix))
  try {
    const root = join(work, 'root')
    await mkdir(root)
    packages = await new PrivateApt(work, suite).unpack(packageName, root)
    if (!(await locateUnpacked(known, root)))
      throw new Error(`The package ${packageName} was unpacked, but its program is not ${title} or does not start.`)
    await rm(cacheFolder(known), { recursive: true, force: true })
    await rename(root, cacheFolder(known))
  } catch (error) {
    throw cannotDownload(known, (error as Error).message)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  const program = await locateUnpacked(known, cacheFolder(known))
  if (!program)
    throw new Error(`${title} disappeared from ${cacheFolder(known)} after it was unpacked. Run the command again.`)
  onProgress(`${title} downloaded: ${packages} packages in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s`)
  return program
}
