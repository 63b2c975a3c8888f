import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bound } from '../bound.ts'
import { DownloadBench } from '../download/download-bench.ts'
import { experiment } from '../experiment.ts'

const CLI = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))
const AMPLE_CREDITS = 1_000_000
const HOUR_MS = 3_600_000
const POLL_EVERY_MS = 5

export const download = experiment({
  name: 'download',
  summary:
    'Checks that a download that is killed and restarted gives the same files as an uninterrupted one, and is charged once.',
  options: {
    markets: { description: 'number of markets, one hour each', default: 50, atLeast: 2 },
    slots: { description: 'recorded slots of that hour, at most 14400', default: 14_400, atLeast: 100 },
    kills: { description: 'number of kill -9, spread over the download', default: 5, atLeast: 1 },
    parallel: { description: 'parallel downloads', default: 4, atLeast: 1 },
  },
  async run({ markets, slots, kills, parallel }, progress) {
    await using bench = await DownloadBench.start({ markets, slots: Math.min(slots, 14_400) }, progress)
    const wanted = { bench, parallel }

    const broken = { url: await bench.openApi('files-of-one'), out: join(bench.folder, 'broken') }
    const account = await bench.openAccount(AMPLE_CREDITS)
    const killedAt: number[] = []
    for (let count = 1; count <= kills; count++) {
      const enough = Math.round((count * markets) / (kills + 1))
      progress(`kill ${count} of ${kills}, at ${enough} of ${markets} files`)
      const run = start({ ...wanted, ...broken, key: account.key })
      while ((await wholeFiles(broken.out)).length < enough && !run.hasEnded()) await sleep(POLL_EVERY_MS)
      await run.kill()
      killedAt.push((await wholeFiles(broken.out)).length)
    }
    progress('finishing the interrupted download')
    const last = await start({ ...wanted, ...broken, key: account.key }).ended

    progress('running an uninterrupted download')
    const whole = { url: await bench.openApi('files-of-other'), out: join(bench.folder, 'whole') }
    const other = await bench.openAccount(AMPLE_CREDITS)
    const fromMs = performance.now()
    const unbroken = await start({ ...wanted, ...whole, key: other.key }).ended
    const seconds = (performance.now() - fromMs) / 1_000

    const [ours, theirs] = [await hashesIn(broken.out), await hashesIn(whole.out)]
    const different = [...theirs].filter(([file, hash]) => ours.get(file) !== hash).length
    const sameManifest =
      (await readManifest(broken.out)) === (await readManifest(whole.out)) &&
      existsSync(join(whole.out, 'manifest.json'))
    const paid = AMPLE_CREDITS - (await bench.balanceOf(account.id))
    const paidOnce = AMPLE_CREDITS - (await bench.balanceOf(other.id))
    const totals = JSON.parse(unbroken.stdout) as { files: number; rows: number; bytes: number }
    return {
      bounds: [
        bound('files', theirs.size, '=', markets),
        bound('runs with exit code 0', [last, unbroken].filter(({ code }) => code === 0).length, '=', 2),
        bound('kills before the download was complete', killedAt.filter((files) => files < markets).length, '=', kills),
        bound('files different or missing', different, '<=', 0),
        bound('difference in the number of files', ours.size - theirs.size, '=', 0),
        bound('manifests identical (1 = yes)', sameManifest ? 1 : 0, '=', 1),
        bound('credits charged more than once', paid - paidOnce, '=', 0),
      ],
      series: { killedAt, totals: [{ ...totals, seconds, paid, paidOnce }] },
      notes: [
        `killed with ${killedAt.join(', ')} of ${markets} files complete`,
        `uninterrupted: ${totals.rows} rows, ${(totals.bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s, ${paidOnce} credits`,
      ],
    }
  },
})

interface Wanted {
  readonly bench: DownloadBench
  readonly parallel: number
  readonly url: string
  readonly out: string
  readonly key: string
}

/** Starts the CLI as a user would. */
function start({ bench, parallel, url, out, key }: Wanted) {
  const hour = { from: new Date(bench.hourMs).toISOString(), to: new Date(bench.hourMs + HOUR_MS).toISOString() }
  const words = ['download', '--markets', bench.marketIds.join(','), '--from', hour.from, '--to', hour.to]
  const rest = ['--out', out, '--parallel', String(parallel), '--yes', '--json']
  const child = spawn(process.execPath, ['--conditions=bookreel-source', CLI, ...words, ...rest], {
    env: { PATH: '/usr/bin:/bin', HOME: bench.folder, BOOKREEL_URL: url, BOOKREEL_KEY: key },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout }))
  return {
    ended,
    hasEnded: () => child.exitCode !== null,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function wholeFiles(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  return (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.parquet'))
}

async function hashesIn(folder: string): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const file of await wholeFiles(folder)) {
    const bytes = await readFile(join(folder, file))
    hashes.set(file, createHash('sha256').update(bytes).digest('hex'))
  }
  return hashes
}

async function readManifest(folder: string): Promise<string> {
  return readFile(join(folder, 'manifest.json'), 'utf8').catch(() => '')
}
