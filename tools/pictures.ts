/** Takes the pictures of the web console that the README shows, from a running simulated service. */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { takePicture } from './console/picture.ts'
import { PICTURED, type Pictured, type Scene } from './console/pictured-pages.ts'
import { VisitedConsole } from './console/visited-console.ts'
import { answerHelp, refuseArguments } from './tool-help.ts'

answerHelp(`npm run pictures -- [options]

Starts a simulated service with the web console, opens its pages in a real browser and writes pictures of them. Takes
about twelve minutes, because live maps have to fill first.

  --out <folder>       folder for the pictures (default: docs/images)
  --only <name>        take one picture: ${PICTURED.map(({ name }) => name).join(', ')}
  --help               show this help
  --version            print the version

Example:
  npm run pictures -- --only keys --out out/pictures
`)

const TIERS = { visitor: 'free', trader: 'pro', owner: 'pro', operator: 'free' } as const

const { out, only } = readOptions()
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())

await using visited = await VisitedConsole.open(mkdtempSync(join(tmpdir(), 'bookreel-pictures-')), {
  markets: 100,
  onProgress: (line) => console.log(line),
  signal: stop.signal,
})
console.log('waiting for a finished hour')
const recordedFromMs = Date.now()
const hour = await visited.service.pastHour?.stored
const scene: Scene = { visited, recordedFromMs, slug: hour?.slug ?? '', hourMs: visited.service.pastHour?.hourMs ?? 0 }
mkdirSync(out, { recursive: true })
for (const pictured of PICTURED) if (only === undefined || only === pictured.name) await take(pictured)

async function take({ name, look, as, show }: Pictured): Promise<void> {
  const page = await visited.newPage(look)
  if (as !== 'visitor') await visited.signIn(page, `${as}@example.test`, TIERS[as])
  await show(page, scene)
  const bytes = await takePicture(page, out, name)
  console.log(`${name.padEnd(20)} ${(bytes / 1_000).toFixed(0).padStart(4)} kB`)
  await page.context().close()
}

function readOptions(): { out: string; only: string | undefined } {
  try {
    const { values } = parseArgs({
      options: { out: { type: 'string', default: 'docs/images' }, only: { type: 'string' } },
    })
    const isKnown = values.only === undefined || PICTURED.some(({ name }) => name === values.only)
    return isKnown ? { out: values.out, only: values.only } : refuseArguments(`There is no picture ${values.only}.`)
  } catch (error) {
    return refuseArguments((error as Error).message)
  }
}
