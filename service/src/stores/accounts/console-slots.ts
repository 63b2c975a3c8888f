import type { RedisConnection } from '../engines/redis-connection.ts'
import { RedisScript } from '../engines/redis-script.ts'
import { openSessionKey } from './sessions.ts'

/** The stream of a page of the console. */
export interface ConsoleStream {
  readonly accountId: string
  readonly sessionHash: string
  readonly connectionId: string
  /** When its page was opened, by the clock of Redis. */
  readonly openedAtMs: number
}

export interface SlotVerdict {
  /** False when a newer page has the slot. */
  readonly isHeld: boolean
  readonly isSignedIn: boolean
}

/** Only a page that is still signed in takes the slot of another one, and only of one that is not newer. */
const TAKE = new RedisScript<number>(`
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
local openedAt = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) ')
if not openedAt or tonumber(openedAt) <= tonumber(ARGV[3]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return 1`)
/** A slot that Redis has lost goes to the first page that asks again. It is renewed when half of its time is over. */
const CHECK = new RedisScript<number[]>(`
local holder = redis.call('GET', KEYS[1])
local isHeld = not holder or holder == ARGV[1]
if isHeld and redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) / 2 then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return { isHeld and 1 or 0, redis.call('EXISTS', KEYS[2]) }`)
const RELEASE = new RedisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`)

const HELD_MS = 10_000

/** Every account has one stream of the console at a time; the newest page takes it over. Throws `RedisUnavailable`. */
export class ConsoleSlots {
  readonly #redis: RedisConnection

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  /** False when the session of the page has ended. A page that was opened before the one with the slot does not get it. */
  async take(stream: ConsoleStream): Promise<boolean> {
    const operands = [holderOf(stream), String(HELD_MS), String(stream.openedAtMs)]
    return (await this.#redis.ask((client) => TAKE.run(client, keysOf(stream), operands))) === 1
  }

  /** Renews the slot, and tells whether the page still has it and its session still exists. */
  async check(stream: ConsoleStream): Promise<SlotVerdict> {
    const operands = [holderOf(stream), String(HELD_MS)]
    const [isHeld, isSignedIn] = await this.#redis.ask((client) => CHECK.run(client, keysOf(stream), operands))
    return { isHeld: isHeld === 1, isSignedIn: isSignedIn === 1 }
  }

  async release(stream: ConsoleStream): Promise<void> {
    await this.#redis.ask((client) => RELEASE.run(client, [slotKeyOf(stream)], [holderOf(stream)]))
  }
}

function holderOf({ openedAtMs, connectionId }: ConsoleStream): string {
  return `${openedAtMs} ${connectionId}`
}

function keysOf(stream: ConsoleStream): string[] {
  return [slotKeyOf(stream), openSessionKey(stream.accountId, stream.sessionHash)]
}

/** On the same node of a cluster as the sessions of the account. */
export function slotKeyOf({ accountId }: Pick<ConsoleStream, 'accountId'>): string {
  return `console-slot:{${accountId}}`
}
