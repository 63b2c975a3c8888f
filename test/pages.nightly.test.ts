// Nightly: it runs every command of the documents against a whole service, and walks in a browser.
// Covers: README.md docs/ examples/ sdk/README.md cli/README.md tools/dev.ts test/pages/
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBrowser } from '@bookreel/testbed/browser/real-browser'
import { until } from '@bookreel/testbed/until'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Checkout } from './pages/checkout.ts'
import { codeBlocksOf, exampleCommands, isKnownKind, KINDS } from './pages/code-blocks.ts'
import { type Counts, PageRunner } from './pages/page-runner.ts'
import { ensurePythonPackages } from './pages/python-packages.ts'
import { Shell } from './pages/shell.ts'
import { textOf, trackedFiles } from './repository.ts'

const PAGES = trackedFiles().filter((file) =>
  /^(README\.md|(sdk|cli)\/README\.md|docs\/(?!decisions\/).*\.md)$/.test(file),
)
const pages = PAGES.map((page) => ({ page, blocks: codeBlocksOf(textOf(page)) })).filter(
  ({ blocks }) => blocks.length > 0,
)
const EXAMPLES = trackedFiles().filter((file) => /^examples\/.*\.(py|ts)$/.test(file))
const MCP_CLIENT = fileURLToPath(new URL('./pages/mcp-client-stub.ts', import.meta.url))

const counts: Counts = { blocks: 0, executed: 0, notRun: 0, output: 0, commands: 0 }
let checkout: Checkout
let service: ChildProcess
let started: Awaited<ReturnType<typeof startBrowser>>
let environment: Record<string, string>

beforeAll(async () => {
  checkout = new Checkout()
  const packages = await ensurePythonPackages('python3')
  const [browser] = await Promise.all([startBrowser(), startService()])
  started = browser
  environment = { ...checkout.environment, PYTHONPATH: packages }
  const programs = join(checkout.home, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'claude'), `#!/bin/sh\nexec node ${MCP_CLIENT} "$@"\n`)
  chmodSync(join(programs, 'claude'), 0o755)
})

afterAll(async () => {
  await started?.[Symbol.asyncDispose]()
  if (service?.exitCode === null && service.pid !== undefined) {
    const ended = once(service, 'exit')
    process.kill(-service.pid, 'SIGINT')
    await ended
  }
  checkout?.[Symbol.dispose]()
  const { blocks, executed, notRun, output, commands } = counts
  process.stdout.write(
    `${blocks} code blocks of ${pages.length} pages: ${executed} executed here (${commands} commands), ` +
      `${notRun} need a machine of their own, ${output} show output or a file; ${EXAMPLES.length} examples executed\n`,
  )
})

/** As `npm run dev`, with few markets, and on a free port because other tests run at the same time. */
async function startService(): Promise<void> {
  const options = ['--port', '0', '--markets', '100']
  service = spawn('npm', ['run', 'dev', '--', ...options], {
    cwd: checkout.folder,
    env: checkout.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [service.stdout, service.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const isReady = () =>
    output.includes('Press Ctrl-C to stop everything.') && output.includes('the finished hour can be downloaded')
  await until('npm run dev is ready', () => isReady() || service.exitCode !== null, { withinMs: 200_000 })
  expect(isReady(), output).toBe(true)
}

function newShell(name: string): Shell {
  return new Shell({
    folder: checkout.folder,
    state: checkout.beside(`shell-${name.replaceAll('/', '-')}`),
    env: environment,
  })
}

/** Pastes a script into the console of the interactive API reference, enters the key, and waits for prices in the title. */
async function pasteIntoBrowser(shell: Shell, script: string): Promise<void> {
  const { output } = await shell.run('echo "$BOOKREEL_URL $BOOKREEL_KEY"', 10_000)
  const [address = '', key = ''] = output.trim().split(' ')
  const page = await started.browser.newPage()
  page.on('dialog', (dialog) => void dialog.accept(key))
  await page.goto(`${address}/docs`, { timeout: 120_000, waitUntil: 'domcontentloaded' })
  await page.evaluate(script)
  const title = () => page.title()
  await expect.poll(title).toMatch(/^0\.\d+ \/ 0\.\d+$/)
  await page.close()
}

describe('every code block', () => {
  test('has a known kind', () => {
    const unknown = pages.flatMap(({ page, blocks }) =>
      blocks.filter(({ kind }) => !isKnownKind(kind)).map(({ kind, line }) => `${page}:${line} "${kind}"`),
    )
    expect(unknown, `allowed: ${Object.keys(KINDS).join(', ')}`).toEqual([])
  })

  test.each(pages)('of $page works when it is pasted', { timeout: 400_000 }, async ({ page, blocks }) => {
    const shell = newShell(page)
    await new PageRunner(page, shell, (script) => pasteIntoBrowser(shell, script), counts).run(blocks)
  })

  test('was executed, or shows output', () => {
    expect(counts.executed + counts.notRun + counts.output).toBe(counts.blocks)
    expect(counts.blocks).toBe(pages.flatMap(({ blocks }) => blocks).length)
  })
})

/** The command must fail with a sentence and without a stack trace. */
async function fails(shell: Shell, command: string, shows: RegExp): Promise<void> {
  const { output, code } = await shell.run(command, 120_000)
  expect(output).toMatch(shows)
  expect(output).not.toMatch(/Traceback|^\s+at .*:\d+:\d+/m)
  expect(code, output).toBe(1)
}

describe('every example', () => {
  test.each(EXAMPLES)(
    '%s works as its first lines say, and fails with a sentence',
    { timeout: 400_000 },
    async (file) => {
      const shell = newShell(file)
      await shell.run('. out/dev/keys.env', 10_000)
      const start = file.endsWith('.py') ? `python3 ${file}` : 'npm run --silent bot --'
      const help = await shell.run(`${start} --help`, 60_000)
      expect(help, help.output).toMatchObject({ code: 0, output: expect.stringMatching(/--help/) })
      const commands = exampleCommands(textOf(file))
      expect(commands).not.toHaveLength(0)
      const runner = new PageRunner(file, shell, () => Promise.reject(new Error('no browser')), counts)
      for (const command of commands) await runner.command(command, file)
      if (/stdin/.test(textOf(file))) return fails(shell, `echo nonsense | ${start}`, /^This is not a frame/m)
      await fails(shell, `${start} --key br_live_wrong`, /^unauthenticated: \S.+\.$/m)
      await fails(shell, `${start} --url http://127.0.0.1:9`, /127\.0\.0\.1:9.*service/)
    },
  )

  test.each(EXAMPLES.filter((file) => /^(import| {4}import) (pandas|duckdb|websockets)/m.test(textOf(file))))(
    '%s says which packages are missing before it does anything else',
    async (file) => {
      const shell = newShell(`${file}-bare`)
      await fails(shell, `PYTHONPATH= BOOKREEL_KEY=any python3 -S ${file}`, /^This example needs .*: pip install \w+/m)
    },
  )

  test('a finished hour is downloaded once', async () => {
    const shell = newShell('hour')
    await shell.run('. out/dev/keys.env', 10_000)
    const command = 'python3 examples/python/hour_with_duckdb.py --key "$BOOKREEL_KEY_SCALE" --file once.parquet'
    expect((await shell.run(command, 60_000)).output).toMatch(/hash verified/)
    const second = await shell.run(command, 60_000)
    expect(second, second.output).toMatchObject({ code: 0, output: expect.stringMatching(/already complete/) })
    await shell.run('truncate --size=-1000 once.parquet', 10_000)
    expect((await shell.run(command, 60_000)).output).toMatch(/hash verified/)
  })
})
