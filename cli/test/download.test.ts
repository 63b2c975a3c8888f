import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { FIRST_SLOT, HOUR_MS, INTERVAL_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { storeFacts } from '@bookreel/testbed/service/stored-markets'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newestFinishedHourMs } from '../../service/src/domain/finished-hour.ts'
import { readParquet } from '../../service/test/http/read-parquet.ts'
import { CliScene } from './cli-scene.ts'
import { StallingProxy } from './stalling-proxy.ts'

let scene: CliScene
let markets: PastMarket[]

const SEED_PAST_HOUR = fileURLToPath(import.meta.resolve('../../tools/seed-past-hour.ts'))
const FIRST = new Date(PAST_HOUR_MS).toISOString()
const RANGE = ['--from', FIRST, '--to', new Date(PAST_HOUR_MS + 2 * HOUR_MS).toISOString()]
/** The slots of each market: the last ones of one hour and the first ones of the next. */
const [FROM_SLOT, TO_SLOT] = [13_900, 15_199]
const CREDITS = 3 * (1 + 2)
/** Rows of the hour that is stored for `npm run dev`: 24 slots are a gap. */
const LEFT = 2 * (14_400 - 24)

beforeAll(async () => {
  scene = await CliScene.open({})
  const kind = { subcategory: 'HYPE', timeframe: '4h', startsAtMs: PAST_HOUR_MS, endsAtMs: PAST_HOUR_MS + 2 * HOUR_MS }
  markets = await Promise.all(['a', 'b', 'c'].map((name) => PastMarket.save(scene.service, `download ${name}`, kind)))
  for (const market of markets) {
    await market.putRows([...market.rows(FROM_SLOT, 13_999), ...market.rows(14_040, TO_SLOT)])
    await market.putGaps([market.gap(14_000, 14_039)])
  }
  await storeFacts(
    scene.service,
    markets.map(({ market }) => market),
  )
})

afterAll(() => scene?.[Symbol.asyncDispose]())

const portOf = (url: string): number => Number(new URL(url).port)

function argumentsOf(out: string, chosen = markets.map(({ market }) => market.id).join(',')): string[] {
  return ['download', '--markets', chosen, ...RANGE, '--out', out, '--parallel', '2', '--yes']
}

/** Complete and partial hour files below the folder. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(parquet|part)$/.test(file))
}

function hashesIn(folder: string): Record<string, string> {
  const hash = (file: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex')
  return Object.fromEntries(filesIn(folder).map((file) => [file, hash(file)]))
}

async function balanceOf(key: string): Promise<number> {
  return (await scene.service.ask('/v1/limits', { key })).body.creditsRemaining
}

const freshKey = (): Promise<string> => scene.service.keyOf('scale', { fresh: true, credits: 1_000 })

/** 0 for a file that was renamed meanwhile, because it is complete. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Waits until `wholeFiles` files are complete and two more have stalled. */
async function untilStalled(folder: string, wholeFiles: number): Promise<void> {
  await vi.waitUntil(
    () => {
      const files = filesIn(folder)
      const begun = files.filter((file) => file.endsWith('.part') && sizeOf(join(folder, file)) > 0)
      return files.length - begun.length >= wholeFiles && begun.length >= 2
    },
    { timeout: 120_000, interval: 50 },
  )
}

describe('download', () => {
  test('interrupted, killed and restarted, it produces the same files and charges each hour once', async () => {
    const whole = join(scene.folder, 'whole')
    const unbroken = await scene.run(argumentsOf(whole), { key: await freshKey() })
    expect(unbroken).toMatchObject({ code: 0 })
    const manifest = readFileSync(join(whole, 'manifest.json'), 'utf8')

    const key = await freshKey()
    const before = await balanceOf(key)
    const broken = join(scene.folder, 'broken')
    {
      await using proxy = await StallingProxy.to(portOf(scene.url), { wholeFiles: 1, firstBytes: 3_000 })
      const running = scene.start(argumentsOf(broken), { key, url: proxy.url })
      await untilStalled(broken, 1)
      running.child.kill('SIGINT')
      const { code, stderr } = await running.ended
      expect(code).toBe(130)
      expect(stderr).toMatch(/Interrupted: 1 of 6 hours are complete.*Run the same command again to resume/)
    }
    const begun = filesIn(broken)
    {
      await using proxy = await StallingProxy.to(portOf(scene.url), { wholeFiles: 2, firstBytes: 5_000 })
      const running = scene.start(argumentsOf(broken), { key, url: proxy.url })
      await untilStalled(broken, 3)
      running.child.kill('SIGKILL')
      await running.ended
    }
    expect(filesIn(broken)).not.toEqual(begun)
    expect(existsSync(join(broken, 'manifest.json'))).toBe(false)
    {
      const stalled = filesIn(broken).filter((file) => file.endsWith('.part'))
      await using proxy = await StallingProxy.to(portOf(scene.url), { wholeFiles: 6, firstBytes: 0 })
      const { code, stderr } = await scene.run(argumentsOf(broken), { key, url: proxy.url })
      expect(code, stderr).toBe(0)
      expect(proxy.rangeRequests).toBe(stalled.length)
    }
    expect(readFileSync(join(broken, 'manifest.json'), 'utf8')).toBe(manifest)
    expect(hashesIn(broken)).toEqual(hashesIn(whole))
    expect(before - (await balanceOf(key))).toBe(CREDITS)
  }, 180_000)

  test('the manifest lists every file with its rows and gaps', async () => {
    const out = join(scene.folder, 'manifest')
    const { code, stdout } = await scene.run([...argumentsOf(out, 'HYPE/4h'), '--json'], { key: await freshKey() })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ files: 6, credits_charged: CREDITS, not_finished: [], empty: [] })
    const { files } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))
    expect(files.map(({ file }: { file: string }) => file)).toEqual(filesIn(out).toSorted())
    expect(files[0]).toMatchObject({ hour: FIRST, rows: 2 * (14_400 - FROM_SLOT - 40), credits: 1 })
    expect(files[0].gaps).toMatchObject([{ slots: 40, kind: 'missing', cause: 'disconnected' }])
    for (const { file, sha256, bytes } of files) {
      expect([hashesIn(out)[file], statSync(join(out, file)).size]).toEqual([sha256, bytes])
    }
    const manifest = readFileSync(join(out, 'manifest.json'))
    const again = await scene.run([...argumentsOf(out, markets[0]?.market.id), '--json'], { key: await freshKey() })
    expect(JSON.parse(again.stdout)).toMatchObject({ files: 2, credits_charged: 0 })
    expect(readFileSync(join(out, 'manifest.json'))).toEqual(manifest)
  })

  test('downloads damaged files and damaged partial files again', async () => {
    const key = await freshKey()
    const out = join(scene.folder, 'damaged')
    await scene.run(argumentsOf(out), { key })
    const good = hashesIn(out)
    const [one = '', two = ''] = filesIn(out)
    truncateSync(join(out, one), 100)
    writeFileSync(join(out, two.replace('.parquet', `.${good[two]}.part`)), 'not what it says')
    truncateSync(join(out, two), 50)
    expect((await scene.run(argumentsOf(out), { key })).code).toBe(0)
    expect(hashesIn(out)).toEqual(good)
  })

  test('asks to confirm the price; without a terminal and without --yes nothing is charged', async () => {
    const key = await freshKey()
    const before = await balanceOf(key)
    const out = join(scene.folder, 'confirm')
    const withoutYes = argumentsOf(out).filter((word) => word !== '--yes')
    const { code, stderr } = await scene.run(withoutYes, { key })
    expect(code).toBe(2)
    expect(stderr).toMatch(/6 hours with .* rows cost up to 9 credits; you have .* needs --yes/)
    const refusing = scene.startInTerminal(withoutYes, { key })
    await refusing.until(({ stdout }) => stdout.includes('[y/N]'))
    refusing.child.stdin.write('n\n')
    await refusing.ended
    expect(filesIn(out)).toEqual([])
    expect(await balanceOf(key)).toBe(before)
    const agreeing = scene.startInTerminal(withoutYes, { key })
    await agreeing.until(({ stdout }) => stdout.includes('[y/N]'))
    agreeing.child.stdin.write('y\n')
    const { code: agreed, stdout } = await agreeing.ended
    expect(agreed).toBe(0)
    expect(stdout).toMatch(/100 % +6\/6 hours/)
    expect(filesIn(out)).toHaveLength(6)
  })

  test('without a finished hour it says when the next one is available, and exits with 4', async () => {
    const key = await freshKey()
    const nowMs = scene.service.nowMs()
    const live = await PastMarket.save(scene.service, 'download live', {
      startsAtMs: nowMs - HOUR_MS,
      endsAtMs: nowMs + HOUR_MS,
    })
    const slot = Math.floor(nowMs / INTERVAL_MS) - FIRST_SLOT
    await live.putRows([live.row(slot - 1), live.row(slot)])
    const { id: conditionId, slug } = live.market
    const out = join(scene.folder, 'early')
    const range = ['--from', String(nowMs - 60_000), '--to', String(nowMs)]
    const args = ['download', '--markets', conditionId, ...range, '--out', out, '--yes']
    const { code, stdout, stderr } = await scene.run([...args, '--json'], { key })
    expect([code, existsSync(out)]).toEqual([4, false])
    const { not_finished: notFinished } = JSON.parse(stdout)
    expect(notFinished[0]).toMatchObject({ market: conditionId, slug })
    const { hour, available_at: availableAt } = notFinished[0]
    expect(Date.parse(availableAt) - Date.parse(hour)).toBe(HOUR_MS + 300_000)
    expect(stderr).toMatch(
      /Nothing to download: no finished hour between \S+ and \S+Z\. The next one is available at (\S+ )?\d\d:05 UTC \(in [\d,]+ minutes?\)\./,
    )
    const onTerminal = await scene.startInTerminal(args, { key }).ended
    expect([onTerminal.code, onTerminal.stdout]).toEqual([4, expect.not.stringContaining('0/0 hours')])
  })

  test('a range without rows says so and exits with 4', async () => {
    const range = ['--from', '2020-01-01T00:00:00Z', '--to', '2020-01-01T01:00:00Z']
    const args = ['download', '--markets', markets[0]?.market.id ?? '', ...range, '--out', 'none', '--yes']
    const { code, stderr } = await scene.run(args, { key: await scene.service.keyOf('enterprise') })
    expect([code, stderr]).toEqual([4, expect.stringContaining('these markets were not recorded between 2020-01-01')])
  })

  test('folders have the slug and the start of the id; a folder named with the whole id is used again', async () => {
    const key = await freshKey()
    const out = join(scene.folder, 'named')
    const { id = '', slug = '' } = markets[0]?.market ?? {}
    await scene.run(argumentsOf(out, id), { key })
    const folder = `${slug.replaceAll(/[^a-z0-9]+/g, '-')}--${id.slice(0, 12)}`
    const files = () => JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).files
    expect(files()).toMatchObject([
      { market: id, slug, file: `${folder}/${FIRST.slice(0, 13)}Z.parquet` },
      { market: id, slug },
    ])
    renameSync(join(out, folder), join(out, id))
    const again = await scene.run([...argumentsOf(out, id), '--json'], { key })
    expect(JSON.parse(again.stdout)).toMatchObject({ files: 2, credits_charged: 0 })
    expect(again.stderr).toContain(`${id} is a folder of an older version and is used again`)
    expect(readdirSync(out).toSorted()).toEqual([id, 'manifest.json'].toSorted())
    expect(files()).toMatchObject([{ market: id, slug, file: `${id}/${FIRST.slice(0, 13)}Z.parquet` }, { slug }])
  })

  test('the hour that npm run dev stores has one gap, is proved, resolved, and found by coin and timeframe', async () => {
    const hourMs = newestFinishedHourMs(scene.service.nowMs())
    const environment = { PATH: '/usr/bin:/bin', ...scene.service.stack.variables }
    const seed = await promisify(execFile)(process.execPath, [SEED_PAST_HOUR, String(hourMs)], { env: environment })
    const { slug, markets: marketCount } = JSON.parse(seed.stdout)
    expect(marketCount).toBe(13)
    // Lists of an earlier test are shared for some seconds.
    scene.service.clock.nowMs += 60_000
    const key = await freshKey()
    const range = ['--from', new Date(hourMs).toISOString(), '--to', new Date(hourMs + HOUR_MS).toISOString()]
    const out = join(scene.folder, 'past')
    const args = ['download', '--markets', 'BTC/1h,BTC/5m', ...range, '--out', out, '--yes', '--json']
    const { stdout, stderr } = await scene.run(args, { key })
    expect(JSON.parse(stdout), stderr).toMatchObject({ files: 13, not_finished: [], empty: [] })
    const { files } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))
    const whole = files.find((entry: { slug: string }) => entry.slug === slug)
    expect(whole).toMatchObject({ rows: LEFT, gaps: [{ cause: 'disconnected', kind: 'missing', slots: 24 }] })
    const rows = await readParquet(readFileSync(join(out, whole.file)))
    expect(rows).toHaveLength(LEFT)
    expect(rows.filter(({ flags }) => !(flags as string[]).includes('verified'))).toEqual([])
    const { body } = await scene.service.ask(`/v1/markets/${whole.market}/gaps`, { key })
    expect(body).toMatchObject({ coverage: { missing_slots: 24 }, unaccounted_slots: 0, unrecorded: [] })
    const { body: market } = await scene.service.ask(`/v1/markets/by-slug/${slug}`, { key })
    const outcome = market.settlement_price >= market.price_to_beat ? 'UP' : 'DOWN'
    expect(market).toMatchObject({ settlement_price_source: 'polymarket', resolved_outcome: outcome })
    expect([body.recorded_from, body.requested_from]).toEqual([range[1], range[1]])
  }, 240_000)

  test('a tier without Parquet files is refused before any download', async () => {
    const { code, stderr } = await scene.run(argumentsOf(join(scene.folder, 'pro')), {
      key: await scene.service.keyOf('pro'),
    })
    expect([code, stderr]).toEqual([3, expect.stringContaining('The pro tier does not include Parquet files')])
  })
})
