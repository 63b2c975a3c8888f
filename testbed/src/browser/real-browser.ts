import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureProgram } from '@bookreel/stack/install/ensure-programs'
import { type Browser, chromium } from 'playwright-core'

export type { Page } from 'playwright-core'

/** Starts Debian's Chromium with an empty home folder. */
export async function startBrowser(): Promise<{ browser: Browser } & AsyncDisposable> {
  const program = await ensureProgram('chromium', () => {})
  const home = await mkdtemp(join(tmpdir(), 'bookreel-browser-'))
  const browser = await chromium.launch({
    executablePath: program.path,
    args: ['--no-sandbox'],
    env: { HOME: home, ...(program.libraryPath !== undefined && { LD_LIBRARY_PATH: program.libraryPath }) },
  })
  return {
    browser,
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
