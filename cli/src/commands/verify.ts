import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { type VerificationProblem, type VerifiedChain, verifyFile, verifyManifests } from '@bookreel/sdk'
import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import type { Begin, Invocation } from '../invocation.ts'
import { counted } from '../render/numbers.ts'
import { plain } from '../render/text.ts'
import { settingsFolder } from '../settings.ts'
import { knownPath, readKnown, saveKnown } from '../verify/known-manifests.ts'

interface Options {
  known?: string
  publicKey?: string
}

interface CheckedFile {
  readonly file: string
  readonly problem: VerificationProblem | undefined
}

export function addVerify(program: Command, begin: Begin): void {
  const command = program
    .command('verify')
    .description('Prove that files belong to the signed manifests, and that no manifest was rewritten; needs no key')
    .argument('[files...]', 'downloaded files of days, under the name that they were downloaded with')
    .option('--known <file>', 'what earlier checks have seen (default: in the folder of the settings)')
    .option('--public-key <key>', 'a key to trust, in base64url, beside those of earlier checks')
    .action((files: string[], options: Options, self: Command) => verify(begin(self), files, options))
  withExamples(
    command,
    ['verify', 'verify days/polymarket-btc-5m-2026-11-15-r1.parquet', 'verify days/*.parquet --json'],
    `The first check trusts the public keys that the service shows; later ones compare with them and with every entry that
was seen. Exit code 1 means a problem: changed_file, missing_file, rewritten_hour, forged_root or not_signed_yet.`,
  )
}

async function verify(invocation: Invocation, files: readonly string[], options: Options): Promise<void> {
  const { client, terminal, settings, isJson } = invocation
  const path = options.known ?? knownPath(settingsFolder(terminal.variables), settings.url)
  const chain = await verifyManifests(client.files, { known: readKnown(path), publicKey: options.publicKey })
  const checked: CheckedFile[] = []
  for (const file of files) checked.push({ file, problem: await problemOf(invocation, file, chain) })
  if (chain.problems.length === 0) saveKnown(path, chain.known)
  const problems = [...chain.problems, ...checked.flatMap(({ problem }) => problem ?? [])]
  if (isJson) {
    const entries = chain.entries.length
    terminal.json({
      entries,
      problems: chain.problems,
      files: checked.map(({ file, problem = null }) => ({ file, problem })),
    })
  } else {
    terminal.line(chainText(chain))
    for (const { code, message } of chain.problems) terminal.line(plain(`${code}: ${message}`))
    for (const { file, problem } of checked)
      terminal.line(plain(problem === undefined ? `${file}: ok` : `${file}: ${problem.code}: ${problem.message}`))
  }
  if (problems.length > 0) throw new Error(`${counted(problems.length, 'problem')} found.`)
}

async function problemOf(
  { client }: Invocation,
  file: string,
  chain: VerifiedChain,
): Promise<VerificationProblem | undefined> {
  const sha256 = await hashOf(file)
  if (sha256 === undefined)
    return { code: 'missing_file', message: 'There is no such file. Check the path, or download it again.' }
  return verifyFile(client.files, { id: basename(file).replace(/\.parquet$/, ''), sha256 }, chain)
}

function chainText({ entries, problems }: VerifiedChain): string {
  const last = entries.at(-1)
  if (last === undefined) return 'The service has no signed manifests yet.'
  const state = problems.length === 0 ? 'signed, unchanged and complete' : 'with problems'
  return `${counted(entries.length, 'manifest')} up to ${last.hour}: ${state}.`
}

/** Undefined when there is no such file. */
async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return hash.digest('hex')
}
