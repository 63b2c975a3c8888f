import { setImmediate as nextTurn } from 'node:timers/promises'
import { inOneSlot } from '../engines/redis-client.ts'
import { type RedisConnection, RedisUnavailable } from '../engines/redis-connection.ts'
import { RedisScript } from '../engines/redis-script.ts'

export interface RateRules {
  readonly rpm: number
  readonly burst: number
}

/** What a node has admitted while it got no answer from Redis. */
export interface OwedTime {
  /** Time until the bucket of the account was to be empty, as Redis said last; used if Redis has lost it. */
  readonly levelMs: number
  /** Time used by the requests that the node has admitted since. */
  readonly debtMs: number
}

/** Whose exact books are counted: all of an account, for each UTC day. */
export interface BookOwner {
  readonly accountId: string
  /** 2027-01-31 */
  readonly day: string
}

/** Whose rate is counted: the keys of an account share one, its console has another. */
export interface RateOwner extends BookOwner {
  readonly keyId: string
  readonly isConsole: boolean
}

export interface RateVerdict {
  readonly isAllowed: boolean
  /** Number of requests that are allowed right now. */
  readonly remaining: number
  /** Time until the next request is allowed; 0 when it is allowed now. */
  readonly retryAfterMs: number
  /** Time until the full limit is available again. */
  readonly resetMs: number
}

/** With the exact books that the account has got today. */
export type CountedVerdict = RateVerdict & { readonly books: number }

/**
 * GCRA for several calls in order: the state of an account is the time at which its bucket is empty again. A refused
 * call does not change it. The script uses the clock of Redis, because the clocks of the nodes differ. A time that
 * lies further ahead than any debt is that of a clock that was set back since, and must not lock the account out. `level` and `debt` are
 * an `OwedTime`: the debts of several nodes add up, and are stored also when the call is refused. A call with books counts
 * those of an answer instead of a request; every call tells how many there are today.
 */
const TAKE = new RedisScript<number[]>(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function take(bucket, mark, interval, window, level, debt)
  if redis.call('EXISTS', mark) == 1 then return -1, 0, 0, 0 end
  local stored = tonumber(redis.call('GET', bucket) or now)
  if stored > now + 2 * window then stored = now + window end
  local empty = math.min(math.max(now + level, stored) + debt, now + 2 * window)
  local function store(at)
    redis.call('SET', bucket, string.format('%.0f', at), 'PX', math.ceil((at - now) / 1000) + 1)
  end
  local after = empty + interval
  local allowedAt = after - window
  if allowedAt > now then
    if debt > 0 then store(empty) end
    return 0, 0, allowedAt - now, empty - now
  end
  store(after)
  return 1, math.floor((now - allowedAt) / interval), 0, after - now
end
local function count(day, books)
  local total = redis.call('INCRBY', day, books)
  redis.call('EXPIRE', day, 172800)
  return total
end
local verdicts = {}
for call = 1, #KEYS / 3 do
  local key, operand, at = call * 3 - 2, call * 5 - 4, call * 5 - 4
  local books = tonumber(ARGV[operand + 4])
  if books == 0 then
    verdicts[at], verdicts[at + 1], verdicts[at + 2], verdicts[at + 3] = take(
      KEYS[key], KEYS[key + 1], tonumber(ARGV[operand]), tonumber(ARGV[operand + 1]), tonumber(ARGV[operand + 2]),
      tonumber(ARGV[operand + 3]))
    verdicts[at + 4] = tonumber(redis.call('GET', KEYS[key + 2]) or 0)
  else
    verdicts[at], verdicts[at + 1], verdicts[at + 2], verdicts[at + 3] = 1, 0, 0, 0
    verdicts[at + 4] = count(KEYS[key + 2], books)
  end
end
return verdicts`)

const MINUTE_MICROS = 60_000_000
const MARK_SECONDS = 86_400
/** Limits the run time of one script call, because Redis runs nothing else during it. */
const MAX_CALLS_PER_SCRIPT = 64
/** Further calls are counted by this node alone, as if Redis were unavailable. */
const MAX_WAITING_CALLS = 10_000
/** Numbers per verdict in the result of the script. */
const VERDICT_LENGTH = 5

interface Waiting {
  readonly keys: readonly [bucket: string, mark: string, books: string]
  readonly operands: readonly number[]
  readonly resolve: (verdict: CountedVerdict | 'revoked') => void
  readonly reject: (error: unknown) => void
}

/** Request rate of each account on all nodes together. Methods throw `RedisUnavailable` instead of waiting for Redis. */
export class RateLimits {
  readonly #redis: RedisConnection
  readonly #waiting: Waiting[] = []
  #isTaking = false

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  /** Counts one call and checks whether its key was revoked. Concurrent calls share one round trip. */
  take(owner: RateOwner, rules: RateRules, owed?: OwedTime): Promise<CountedVerdict | 'revoked'> {
    const { accountId, keyId, isConsole } = owner
    const intervalMicros = Math.ceil(MINUTE_MICROS / rules.rpm)
    return this.#call(
      [rateKey(accountId, isConsole ? ':console' : ''), revocationKey(accountId, keyId), bookKey(owner)],
      [intervalMicros, intervalMicros * rules.burst, micros(owed?.levelMs), micros(owed?.debtMs), 0],
    )
  }

  /** Adds the exact books of an answer; returns those of the day. A negative number gives them back. */
  async countBooks(owner: BookOwner, books: number): Promise<number> {
    const unused = rateKey(owner.accountId)
    const counted = await this.#call([unused, unused, bookKey(owner)], [0, 0, 0, 0, books])
    return counted === 'revoked' ? 0 : counted.books
  }

  #call(keys: Waiting['keys'], operands: Waiting['operands']): Promise<CountedVerdict | 'revoked'> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= MAX_WAITING_CALLS) throw new RedisUnavailable('Too many calls wait for Redis')
      this.#waiting.push({ keys, operands, resolve, reject })
      if (!this.#isTaking) void this.#takeWaiting()
    })
  }

  /** One round trip at a time; calls that arrive during it are sent with the next one. */
  async #takeWaiting(): Promise<void> {
    this.#isTaking = true
    await nextTurn()
    while (this.#waiting.length > 0) await this.#takeAll(this.#waiting.splice(0, MAX_CALLS_PER_SCRIPT))
    this.#isTaking = false
  }

  async #takeAll(calls: readonly Waiting[]): Promise<void> {
    const groups = inOneSlot(this.#redis.isCluster, calls, ({ keys }) => keys[0])
    await Promise.all(groups.map((group) => this.#takeTogether(group)))
  }

  async #takeTogether(calls: readonly Waiting[]): Promise<void> {
    const keys = calls.flatMap((call) => call.keys)
    const operands = calls.flatMap((call) => call.operands.map(String))
    try {
      const verdicts = await this.#redis.ask((client) => TAKE.run(client, keys, operands))
      calls.forEach(({ resolve }, index) => {
        resolve(verdictAt(verdicts, index * VERDICT_LENGTH))
      })
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
  }

  /**
   * The next call on every node sees it. It is stored longer than any node caches a key. The mark has the id of the key,
   * because the hash changes while peppers rotate.
   */
  async markRevoked(accountId: string, keyId: string): Promise<void> {
    await this.#redis.ask((client) =>
      client.set(revocationKey(accountId, keyId), '1', { expiration: { type: 'EX', value: MARK_SECONDS } }),
    )
  }
}

function verdictAt(verdicts: readonly number[], at: number): CountedVerdict | 'revoked' {
  const own = verdicts.slice(at, at + VERDICT_LENGTH)
  const [allowed = 0, remaining = 0, retryAfterMicros = 0, resetMicros = 0, books = 0] = own
  if (allowed < 0) return 'revoked'
  return {
    isAllowed: allowed === 1,
    remaining,
    retryAfterMs: retryAfterMicros / 1_000,
    resetMs: resetMicros / 1_000,
    books,
  }
}

export function micros(ms = 0): number {
  return Math.ceil(ms * 1_000)
}

function rateKey(accountId: string, rest = ''): string {
  return `rate:{${accountId}}${rest}`
}

/** Begins like the rate, which the Redis users of the roles may write. */
function bookKey({ accountId, day }: BookOwner): string {
  return rateKey(accountId, `:books:${day}`)
}

/** Has the hash tag of the account, because one script reads it together with the rate of the account. */
export function revocationKey(accountId: string, keyId: string): string {
  return `rv:{${accountId}}:${keyId}`
}
