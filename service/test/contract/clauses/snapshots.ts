import assert from 'node:assert/strict'
import type { Answered } from '@bookreel/testbed/service/test-service'
import { all, hasMembers, isEmptyBecause } from '../checks.ts'
import { type Check, type Clause, clause, served } from '../clause.ts'
import { LADDERS, SNAPSHOT } from '../members.ts'

const LIST = '/v1/markets/{closed}/snapshots'
const LONG = '/v1/markets/{long}/snapshots?from={long.first}'

export interface Entry {
  readonly sequence_number: number
  readonly side: string
  readonly capture_timestamp: string
  readonly bids: readonly (readonly [number, number])[]
  readonly asks: readonly (readonly [number, number])[]
}

const numbersOf = (snapshots: readonly Entry[]): number[] => snapshots.map(({ sequence_number }) => sequence_number)
const rising = (numbers: readonly number[]): number[] => numbers.toSorted((one, other) => one - other)
const near = (one: number, other: number): void => assert.ok(Math.abs(one - other) < 1e-6, `${one} is not ${other}`)
const sizeOf = (levels: readonly (readonly [number, number])[]): number =>
  levels.reduce((sum, [, size]) => sum + size, 0)

/** Slots with neither a snapshot nor a gap record. */
function silentSlots({ snapshots, gaps }: Answered['body'], first: number, last: number): number[] {
  const held = new Set(numbersOf(snapshots))
  const isInGap = (slot: number): boolean =>
    gaps.some((gap: { first_slot: number; last_slot: number }) => gap.first_slot <= slot && slot <= gap.last_slot)
  const slots = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return slots.filter((slot) => !held.has(slot) && !isInGap(slot))
}

/** Exactly the captures from the fourth, which is the lower bound, to the seventh; the eighth is the upper bound. */
const isFromThirdToSeventh: Check = ({ body }, scene) => {
  const times = body.snapshots.map(({ capture_timestamp }: Entry) => Date.parse(capture_timestamp))
  const first = Number(scene.value('row.3.ms'))
  assert.deepEqual(
    times,
    [0, 1, 2, 3].map((index) => first + index * 250),
  )
}

export const snapshotClauses: readonly Clause[] = [
  clause(
    '2.5',
    'A snapshot has every listed member; its levels are [price, size] pairs, best price first, and its figures follow from them.',
    [
      served(
        'pro',
        '/v1/markets/{live}/snapshots?limit=20',
        all(
          hasMembers({ ...SNAPSHOT, ...LADDERS }, ({ snapshots }) => snapshots),
          ({ body }, scene) => {
            assert.equal(body.snapshots.length, 20)
            for (const each of body.snapshots) {
              const { bids, asks, best_bid, best_ask, mid, spread, depth5_bid, depth5_ask } = each
              assert.equal(each.condition_id, scene.value('live'))
              assert.ok(bids.length > 5 && asks.length > 5)
              assert.deepEqual([best_bid, best_ask], [bids[0][0], asks[0][0]])
              assert.ok(bids.every(([price]: [number], index: number) => index === 0 || price < bids[index - 1][0]))
              assert.ok(asks.every(([price]: [number], index: number) => index === 0 || price > asks[index - 1][0]))
              near(mid, (best_bid + best_ask) / 2)
              near(spread, best_ask - best_bid)
              near(depth5_bid, sizeOf(bids.slice(0, 5)))
              near(depth5_ask, sizeOf(asks.slice(0, 5)))
            }
          },
        ),
      ),
    ],
  ),
  clause('2.5', 'The spot price of the coin is a number, or null where it is unknown.', [
    served('pro', `${LIST}?from={row.first}&limit=4&includebook=false`, ({ body }) => {
      const prices = body.snapshots.map(({ spot_crypto_usd, spot_crypto_age_ms }: Record<string, unknown>) => [
        spot_crypto_usd,
        spot_crypto_age_ms,
      ])
      assert.deepEqual(prices, [
        [null, null],
        [null, null],
        [601.25, 0],
        [601.25, 0],
      ])
    }),
  ]),
  clause('4.3', '`includebook=false` leaves out the levels; the default is true.', [
    served('pro', `${LIST}?from={row.first}&limit=4&includebook=false`, async ({ body }, scene) => {
      const [explicit, byDefault] = await Promise.all(
        ['&includebook=true', ''].map((query) => scene.ask('pro', `${LIST}?from={row.first}&limit=4${query}`)),
      )
      assert.deepEqual(explicit?.body.snapshots, byDefault?.body.snapshots)
      const without = byDefault?.body.snapshots.map(({ bids: _bids, asks: _asks, ...rest }: Entry) => rest)
      assert.equal(without.length, 4)
      assert.deepEqual(body.snapshots, without)
    }),
  ]),
  clause(
    '4.3',
    '`from` is inclusive and `to` exclusive on the capture time; both accept ISO times, epoch seconds and milliseconds.',
    [
      ...['from={row.3}&to={row.7}', 'from={row.3.ms}&to={row.7.ms}', 'from={row.3}&to={row.7.offset}'].map((range) =>
        served('free', `${LIST}?${range}&side=UP`, isFromThirdToSeventh),
      ),
      served('free', `${LIST}?from={closed.start.s}&to={row.3}&side=UP`, ({ body }) =>
        assert.equal(body.snapshots.length, 3),
      ),
    ],
  ),
  clause('8', 'Without `limit` the snapshots list has 100 snapshots.', [
    served('pro', LONG, async ({ body }, scene) => {
      assert.equal(body.snapshots.length, 100)
      const { body: explicit } = await scene.ask('pro', `${LONG}&limit=100`)
      assert.deepEqual(body.snapshots, explicit.snapshots)
    }),
  ]),
  clause('8', '`limit` of the snapshots list is exact, from 1 to 500.', [
    ...[1, 2, 499, 500].map((limit) =>
      served('pro', `${LONG}&limit=${limit}`, ({ body }) => {
        assert.equal(body.snapshots.length, limit)
        assert.equal(typeof body.next_cursor, 'string')
      }),
    ),
  ]),
  clause(
    '4.3',
    'Snapshots rise from `from`, and without it the newest come first; `order` chooses, and UP precedes DOWN in a slot.',
    [
      served('pro', `${LIST}?from={row.first}`, async ({ body }, scene) => {
        const sides = body.snapshots.map(({ side }: Entry) => side)
        assert.equal(sides.length, 80)
        assert.deepEqual(sides.slice(0, 4), ['UP', 'DOWN', 'UP', 'DOWN'])
        assert.deepEqual(numbersOf(body.snapshots), rising(numbersOf(body.snapshots)))
        const { body: explicit } = await scene.ask('pro', `${LIST}?from={row.first}&order=asc`)
        assert.deepEqual(body.snapshots, explicit.snapshots)
      }),
      served('pro', LIST, async ({ body }, scene) => {
        assert.equal(body.snapshots.length, 80)
        assert.deepEqual(numbersOf(body.snapshots), rising(numbersOf(body.snapshots)).toReversed())
        const { body: explicit } = await scene.ask('pro', `${LIST}?order=desc`)
        assert.deepEqual(body.snapshots, explicit.snapshots)
      }),
    ],
  ),
  clause('4.3', '`side` returns the snapshots of one token only.', [
    ...['UP', 'DOWN'].map((side) =>
      served('pro', `${LIST}?from={row.first}&side=${side}`, ({ body }) => {
        assert.equal(body.snapshots.length, 40)
        assert.ok(body.snapshots.every((each: Entry) => each.side === side))
      }),
    ),
  ]),
  clause('4.3', 'Pages of snapshots contain every row once.', [
    served('pro', `${LIST}?from={row.first}&limit=33`, async ({ body }, scene) => {
      const pages = [body]
      for (let cursor = body.next_cursor; cursor !== null; cursor = pages.at(-1).next_cursor) {
        pages.push((await scene.ask('pro', `${LIST}?from={row.first}&limit=33&cursor=${cursor}`)).body)
      }
      const keys = pages.flatMap(({ snapshots }) =>
        snapshots.map(({ sequence_number, side }: Entry) => `${sequence_number} ${side}`),
      )
      assert.deepEqual([pages.length, keys.length, new Set(keys).size], [3, 80, 80])
    }),
  ]),
  clause('4.3', 'A range without data gives an empty list with a reason.', [
    served('pro', `${LIST}?from={ten_seconds_ago}`, isEmptyBecause('outside_capture')),
  ]),
  clause('1', 'A crypto market has a snapshot of each token every 250 ms, or a gap record for the missing slots.', [
    served('pro', '/v1/markets/{live}/snapshots?limit=500&side=UP&order=asc', async ({ body }, scene) => {
      const numbers = numbersOf(body.snapshots)
      const [first = 0, last = 0] = [numbers[0], numbers.at(-1)]
      assert.ok(numbers.length >= 4)
      const range = `from=${first * 250}&to=${(last + 2) * 250}`
      const { body: again } = await scene.ask('pro', `/v1/markets/{live}/snapshots?${range}&limit=500&side=UP`)
      assert.deepEqual(silentSlots(again, first, last), [])
      const [one, other] = body.snapshots.filter(
        ({ sequence_number }: Entry) => sequence_number === first || sequence_number === last,
      )
      const spanMs = Date.parse(other.capture_timestamp) - Date.parse(one.capture_timestamp)
      assert.ok(Math.abs(spanMs - (last - first) * 250) < 250)
    }),
  ]),
]
