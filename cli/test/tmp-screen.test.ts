import { existsSync, writeFileSync } from 'node:fs'
import { test, vi } from 'vitest'
import { HOUR_MS, PAST_HOUR_MS, PastMarket } from '../../service/test/http/past-market.ts'
import { CliScene } from './cli-scene.ts'

test('screen', async () => {
  await using scene = await CliScene.open()
  const kind = { startsAtMs: PAST_HOUR_MS, endsAtMs: PAST_HOUR_MS + HOUR_MS }
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const market = await PastMarket.save(scene.service, `btc-updown-1h-${name}`, kind)
    await market.putRows(market.rows(0, 14_399))
    ids.push(market.market.slug)
  }
  const key = await scene.service.keyOf('scale')
  const from = new Date(PAST_HOUR_MS).toISOString().replace('.000', '')
  const to = new Date(PAST_HOUR_MS + HOUR_MS).toISOString().replace('.000', '')
  writeFileSync('/tmp/clidev/screen.env', `export BOOKREEL_URL=${scene.url} BOOKREEL_KEY=${key} IDS=${ids.join(',')} FROM=${from} TO=${to}\n`)
  await vi.waitUntil(() => existsSync('/tmp/clidev/done'), { timeout: 200_000, interval: 500 })
}, 280_000)
