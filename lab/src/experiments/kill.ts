import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { random } from '@bookreel/simulator/world/random'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { holesIn } from '../recorded-range.ts'
import { RecordingService, ROLES, type RoleName } from '../recording-service.ts'
import { rowsServedTwice } from '../rows-served-twice.ts'

const ENGINES = ['nats', 'clickhouse', 'redis', 'postgres'] as const
const TARGETS = [...ROLES, ...ENGINES]
const PAUSE_BETWEEN_MS = 2_000
const SETTLE_LIMIT_S = 180
/** Causes of gaps where the book was bad, unlike gaps where the recorder was down. */
const BAD_BOOK_CAUSES = ['venue_silent', 'disconnected', 'hash_mismatch', 'impossible_book', 'undecodable', 'resync']

export const kill = experiment({
  name: 'kill',
  summary:
    'Kills roles and databases at random and checks that no acknowledged row is lost or duplicated and every gap is recorded.',
  options: {
    kills: { description: 'number of kill -9, over all roles and engines in turn', default: 40, atLeast: 1 },
    markets: { description: 'number of simulated markets', default: 300, atLeast: 20 },
    seed: { description: 'seed of the kills and the simulated world', default: 'bookreel' },
  },
  async run({ kills, markets, seed }, progress) {
    const draw = random(seed, 'kills')
    const fromMs = Date.now()
    await using service = await RecordingService.start(['--markets', String(markets), '--seed', seed], progress)
    await service.untilTrusted(progress)
    const done: { target: string; atMs: number; backAfterMs: number }[] = []
    for (let count = 0; count < kills; count++) {
      // Kill each target once per round, in an order given by the seed.
      const round = shuffled(TARGETS, random(seed, 'round', Math.floor(count / TARGETS.length)))
      const target = round[count % TARGETS.length] ?? 'capture'
      const atMs = Date.now()
      progress(`kill ${count + 1} of ${kills}: ${target}`)
      await killAndRestart(service, target, draw.whole(100, 1_500))
      await service.untilTrusted(() => {}, SETTLE_LIMIT_S)
      done.push({ target, atMs, backAfterMs: Date.now() - atMs })
      await sleep(PAUSE_BETWEEN_MS)
    }
    const toMs = Date.now() - 1_000
    progress('waiting until everything is stored')
    const { lost, acknowledged } = await untilStored(service)
    const holes = await holesIn(service, { fromMs, toMs })
    return {
      bounds: [
        bound('kills', done.length, '>=', kills),
        bound('rows acknowledged by the bus', acknowledged, '>=', markets * kills),
        bound('acknowledged rows missing in ClickHouse', lost, '<=', 0),
        bound('rows returned twice by the store', await rowsServedTwice(service.clickhouse), '<=', 0),
        bound('missing slots without a gap record', holes.length, '<=', 0),
        bound('rows stored although the book was known to be bad', await rowsAfterKnownBad(service), '<=', 0),
      ],
      series: { kills: done, holes: holes.slice(0, 20) },
    }
  },
})

async function killAndRestart(service: RecordingService, target: string, downMs: number): Promise<void> {
  const engine = ENGINES.find((name) => name === target)
  if (engine !== undefined) {
    await service.stack.engine(engine).kill()
    await sleep(downMs)
    await service.stack.engine(engine).restart()
    return
  }
  const role = target as RoleName
  await service.role(role).kill()
  await sleep(downMs)
  await service.startRole(role)
}

/** Everything in the emission log must be found; the archive is given some minutes to catch up. */
async function untilStored(service: RecordingService): Promise<{ lost: number; acknowledged: number }> {
  const lines = (await readFile(service.emissionLog, 'utf8')).split('\n')
  // A kill may have truncated the last line.
  const acknowledged = new Set(lines.filter((line) => /^0x[0-9a-f]{64} \d+$/.test(line)))
  for (let second = 0; ; second += 2) {
    const stored = await storedKeys(service)
    const lost = [...acknowledged].filter((key) => !stored.has(key)).length
    if (lost === 0 || second >= SETTLE_LIMIT_S) return { lost, acknowledged: acknowledged.size }
    await sleep(2_000)
  }
}

async function storedKeys({ clickhouse }: RecordingService): Promise<Set<string>> {
  const answer = await clickhouse.query({
    query: "SELECT concat('0x', lower(hex(market_id)), ' ', toString(slot)) AS key FROM snapshots",
    format: 'JSONCompactEachRow',
  })
  const rows = await answer.json<[string]>()
  return new Set(rows.map(([key]) => key))
}

/** Rows of slots at which the book was already known to be bad. */
async function rowsAfterKnownBad({ clickhouse }: RecordingService): Promise<number> {
  const answer = await clickhouse.query({
    query: `SELECT count() AS count FROM snapshots AS s
      INNER JOIN (SELECT market_id, known_at_slot, max(to_slot) AS to_slot FROM gaps
        WHERE kind = 'missing' AND cause IN {causes:Array(String)} GROUP BY market_id, known_at_slot) AS g
      ON s.market_id = g.market_id
      WHERE s.slot >= g.known_at_slot AND s.slot <= g.to_slot`,
    query_params: { causes: BAD_BOOK_CAUSES },
    format: 'JSONEachRow',
  })
  const [row] = await answer.json<{ count: string | number }>()
  return Number(row?.count)
}

function shuffled<Item>(items: readonly Item[], draw: ReturnType<typeof random>): Item[] {
  return items
    .map((item) => ({ item, place: draw.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
