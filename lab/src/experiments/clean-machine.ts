import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bound } from '../bound.ts'
import { mountsBelow } from '../clean-machine/clean-room.ts'
import { runOnHost } from '../clean-machine/host-command.ts'
import { PLAN } from '../clean-machine/plan.ts'
import { packagesIn, tellSteps } from '../clean-machine/summary.ts'
import { visitCleanMachine } from '../clean-machine/visit.ts'
import { experiment } from '../experiment.ts'

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url))
const SIMULATOR_PORT = 4800
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export const cleanMachine = experiment({
  name: 'clean-machine',
  summary: 'Runs every command of the README on a new Debian 12 that has only npm. Needs root.',
  options: {
    dir: { description: 'parent folder of the new Debian; needs 5 GB', default: tmpdir() },
    keep: { description: '1 keeps the new Debian after the run', default: 0, atLeast: 0 },
    minutes: { description: 'maximum total time in minutes', default: 30, atLeast: 1 },
  },
  async run({ dir, keep, minutes }, progress) {
    if (process.getuid?.() !== 0)
      throw new Error('clean-machine needs root to mount and to change its root. Run it as root.')
    await expectFree(SIMULATOR_PORT)
    const changes = await runOnHost('git', ['status', '--porcelain'], { cwd: CHECKOUT })
    const startedAtMs = performance.now()
    const interrupted = new AbortController()
    const interrupt = () => interrupted.abort(new Error('interrupted'))
    for (const signal of SIGNALS) process.once(signal, interrupt)
    const work = await mkdtemp(join(dir, 'bookreel-clean-machine-'))
    const root = join(work, 'root')
    try {
      const visit = await visitCleanMachine({ work, root, checkout: CHECKOUT }, progress, interrupted.signal)
      const { results, left, debootstrapPackages } = visit
      const mounts = mountsBelow(work)
      progress('removing the new Debian')
      await remove(work, keep)
      const seconds = (performance.now() - startedAtMs) / 1_000
      const planned = PLAN.filter(({ command }) => results.some(({ step }) => step === command))
      const packages = [
        { step: 'debootstrap', packages: debootstrapPackages, kind: 'Debian, installed' },
        ...packagesIn(results),
      ]
      return {
        bounds: [
          bound('commands of the plan executed', planned.length, '=', PLAN.length),
          bound('steps failed', results.filter(({ problem }) => problem !== undefined).length, '=', 0),
          bound('processes left after the README', left.afterReadme.length, '=', 0),
          bound('processes left after the tests', left.afterTests.length, '=', 0),
          bound('processes left at the end', left.atEnd.length, '=', 0),
          bound('mounts left', mounts.length, '=', 0),
          bound('folders left', keep === 0 && existsSync(work) ? 1 : 0, '=', 0),
          bound('minutes', Math.round(seconds / 6) / 10, '<=', minutes),
        ],
        series: {
          steps: results.map(({ step, from, seconds, problem }) => ({
            step,
            from,
            seconds,
            ok: problem === undefined,
          })),
          packages,
          left: Object.values(left).flat(),
        },
        notes: [
          ...tellSteps(results),
          '',
          ...packages.map(({ step, packages, kind }) => `${String(packages).padStart(5)} packages (${kind}): ${step}`),
          ...Object.values(left).flatMap((lines) => lines.map((line) => `left running: ${line}`)),
          ...(changes === '' ? [] : ['Only committed files were tested; this checkout has uncommitted changes.']),
          ...(keep === 0 ? [] : [`The new Debian is in ${root}`]),
        ],
      }
    } finally {
      for (const signal of SIGNALS) process.off(signal, interrupt)
      await remove(work, keep)
    }
  },
})

/** Never deletes below a mount, where files of this machine could be. */
async function remove(work: string, keep: number): Promise<void> {
  if (keep === 0 && mountsBelow(work).length === 0) await rm(work, { recursive: true, force: true })
}

/** The new Debian shares this machine's network. */
async function expectFree(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', () =>
      reject(new Error(`Port ${port} is in use, but \`npm run sim\` needs it. Stop the program that listens there.`)),
    )
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
}
