/**
 * Visits the pages of the web console as each group of its users does, in a real browser and against a simulated service,
 * and reports errors, failed requests and slow pages.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Recorded, ROLES, type Role } from './console/roles.ts'
import { Complaints, untilReady, type Visit } from './console/visit.ts'
import { VisitedConsole } from './console/visited-console.ts'
import { answerHelp, refuseArguments } from './tool-help.ts'

answerHelp(`npm run visit -- [options]

Starts a simulated service with the web console and visits its pages in a real browser as somebody who is not signed in,
a trader, a researcher, an account owner and an operator. Prints how long each page took and what went wrong. The exit
code is 1 when something did.

  --slow <ms>          a page that takes longer is a problem (default: 3000)
  --markets <count>    number of simulated markets (default: 100)
  --help               show this help
  --version            print the version

Example:
  npm run visit -- --slow 2000
`)

const { slow, markets } = readOptions()
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())

await using console_ = await VisitedConsole.open(mkdtempSync(join(tmpdir(), 'bookreel-visit-')), {
  markets,
  onProgress: (line) => console.log(line),
  signal: stop.signal,
})
console.log('waiting for a finished hour')
const hour = await console_.service.pastHour?.stored
if (hour === undefined) throw new Error('The finished hour was not stored; see the log of the past hour.')
const recorded: Recorded = { slug: hour.slug }
const visits: Visit[] = []
for (const role of ROLES) visits.push(...(await visitAs(role)))
report(visits)

async function visitAs({ name, email, tier, pages }: Role): Promise<Visit[]> {
  const page = await console_.newPage()
  const complaints = new Complaints(page)
  if (email !== undefined) await console_.signIn(page, email, tier)
  const made: Visit[] = []
  for (const path of await pages(recorded, page)) {
    const readyMs = await untilReady(page, `${console_.service.address}${path}`)
    const problems = complaints.take()
    if (readyMs > slow) problems.push(`slow: ${readyMs.toFixed(0)} ms`)
    made.push({ role: name, page: path, readyMs, problems })
  }
  await page.context().close()
  return made
}

function report(made: readonly Visit[]): void {
  for (const { role, page, readyMs, problems } of made) {
    console.log(`${role.padEnd(14)} ${page.padEnd(60)} ${readyMs.toFixed(0).padStart(6)} ms`)
    for (const problem of problems) console.log(`  ✗ ${problem}`)
  }
  const problems = made.reduce((sum, each) => sum + each.problems.length, 0)
  console.log(`\n${made.length} pages, ${problems} ${problems === 1 ? 'problem' : 'problems'}`)
  process.exitCode = problems === 0 ? 0 : 1
}

function readOptions(): { slow: number; markets: number } {
  try {
    const { values } = parseArgs({
      options: { slow: { type: 'string', default: '3000' }, markets: { type: 'string', default: '100' } },
    })
    return { slow: wholeNumber('slow', values.slow), markets: wholeNumber('markets', values.markets) }
  } catch (error) {
    return refuseArguments((error as Error).message)
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  return refuseArguments(`--${name} must be a whole number, got ${text}`)
}
