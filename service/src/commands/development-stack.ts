import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, relative } from 'node:path'
import { parseEnv } from 'node:util'
import { WrongUsage } from './wrong-usage.ts'

/** Files that `npm run dev` and `npm run stack -- up` write. */
const STACK_FILES = ['out/dev/stack/stack.env', '.stack/stack.env']
const ANSWERS_WITHIN_MS = 2_000

type Settings = Record<string, string | undefined>

/** The settings of the only development stack that runs in these folders. Throws with advice when there is none or several. */
export async function developmentSettings(
  folders: readonly string[],
  programName: string,
): Promise<{ file: string; settings: Settings }> {
  const files = [...new Set(folders.flatMap((folder) => STACK_FILES.map((file) => join(folder, file))))]
  const found = files.filter((file) => existsSync(file)).map((file) => ({ file, settings: readSettingsFile(file) }))
  const isRunning = await Promise.all(found.map(({ settings }) => answers(settings.DATABASE_URL)))
  const [stack, ...others] = found.filter((_, index) => isRunning[index])
  if (stack === undefined)
    throw new WrongUsage(
      `No settings for the databases are in the environment, and no development stack is running (looked for ${STACK_FILES.join(' and ')}).
Start one with \`npm run dev\` or \`npm run stack -- up\`. Name the stack of another folder with --settings FOLDER/stack.env.
For your own databases set the variables of docs/config.md.`,
    )
  if (others.length > 0)
    throw new WrongUsage(
      `Several development stacks are running: ${[stack, ...others].map(({ file }) => shortPath(file)).join(', ')}.
Choose one, for example: ${programName} --settings ${shortPath(stack.file)} …`,
    )
  return { ...stack, file: shortPath(stack.file) }
}

export function readSettingsFile(file: string): Settings {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new WrongUsage(`--settings: ${file} cannot be read: ${(error as Error).message}`)
  }
}

/** A killed stack leaves its file behind. */
async function answers(url: string | undefined): Promise<boolean> {
  if (url === undefined) return false
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), timeout: ANSWERS_WITHIN_MS })
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      for (const event of ['error', 'timeout']) socket.once(event, () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}

function shortPath(file: string): string {
  const path = relative('.', file)
  return path.startsWith('..') ? file : path
}
