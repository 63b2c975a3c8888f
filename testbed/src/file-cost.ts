import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, expect } from 'vitest'
import { cpuSecondsOfChildren } from './child-cpu.ts'

/** A setup file of vitest: tells `npm run verify` how much CPU time each test file needed. */
const to = process.env.BOOKREEL_FILE_COSTS
const atStart = cpuSeconds()

afterAll(() => {
  const { testPath } = expect.getState()
  if (to === undefined || testPath === undefined) return
  appendFileSync(to, `${JSON.stringify([relative(process.cwd(), testPath), cpuSeconds() - atStart])}\n`)
})

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000 + cpuSecondsOfChildren()
}
