import { type Answered, PUBLIC_URL, type TestService } from '@bookreel/testbed/service/test-service'
import { makeKey } from '../../../src/access/key-format.ts'
import { revokeKey } from '../../../src/access/revoke-key.ts'
import { FREE_BOOKS_PER_DAY } from '../../../src/domain/prices.ts'
import { TIER_LIMITS, TIERS, type Tier } from '../../../src/domain/tier.ts'
import { HeadlessBrowser } from '../../account/headless-browser.ts'
import type { Caller, SignedInUser } from '../clause.ts'

/** A key is used for fewer requests than its rate limit, so that no case is refused because of earlier ones. */
const SHARE_OF_RATE = 0.8

/** The tier of a caller with a valid key. */
export function tierOfKey(as: Caller): Tier | undefined {
  switch (as) {
    case 'no credits':
      return 'pro'
    case 'key for live':
    case 'key for history':
    case 'own account':
      return 'enterprise'
    case 'rate used up':
      return 'free'
    default:
      return TIERS.find((tier) => tier === as)
  }
}

/** Keys and sessions of the callers, made when they are needed. */
export class Callers {
  readonly #service: TestService
  readonly #keys = new Map<Caller, { key: string; uses: number }>()
  readonly #members = new Map<SignedInUser, Promise<HeadlessBrowser>>()

  constructor(service: TestService) {
    this.#service = service
  }

  /** The headers by which the service knows the caller. */
  async headersOf(as: Caller): Promise<Record<string, string>> {
    if (as === 'nobody') return {}
    if (as === 'member' || as === 'key maker' || as === 'scale member') {
      const known = this.#members.get(as) ?? this.#signIn(as)
      this.#members.set(as, known)
      return { cookie: (await known).cookieHeader }
    }
    return { 'x-api-key': await this.#keyOf(as) }
  }

  /** Sends a request of a caller of the free tier until it is refused. */
  async untilRefused(send: () => Promise<Answered>): Promise<Answered> {
    // The allowance grows by one request each second.
    for (let sent = 1; ; sent++) {
      const answer = await send()
      if (answer.status === 429 || sent > 10 * TIER_LIMITS.free.rpm) return answer
    }
  }

  async #signIn(as: SignedInUser): Promise<HeadlessBrowser> {
    const browser = new HeadlessBrowser(PUBLIC_URL, async (url, { method, headers, body }) => {
      const answer = await this.#service.server.inject({
        url,
        method,
        headers,
        ...(body !== undefined && { payload: body }),
      })
      const received = Object.entries(answer.headers).flatMap(([name, value]) =>
        [value].flat().map((each): [string, string] => [name, String(each)]),
      )
      return { status: answer.statusCode, headers: new Headers(received), text: answer.body }
    })
    await browser.signIn(`${as.replace(' ', '.')}@example.test`)
    if (as === 'member') return browser
    const { accountId } = JSON.parse((await browser.send('/auth/session')).text)
    const tier = as === 'key maker' ? 'pro' : 'scale'
    await this.#service.access.accounts.setTier(accountId, { tier, monthlyCredits: 0 })
    return browser
  }

  async #keyOf(as: Exclude<Caller, SignedInUser>): Promise<string> {
    const known = this.#keys.get(as)
    const tier = tierOfKey(as) ?? 'pro'
    const isFresh = known !== undefined && (as === 'rate used up' || known.uses < TIER_LIMITS[tier].rpm * SHARE_OF_RATE)
    const kept = isFresh ? known : { key: await this.#newKey(as, tier), uses: 0 }
    kept.uses++
    this.#keys.set(as, kept)
    return kept.key
  }

  async #newKey(as: Caller, tier: Tier): Promise<string> {
    const { access } = this.#service
    switch (as) {
      case 'malformed key':
        return `${makeKey().slice(0, -1)}_`
      case 'key for live':
        return this.#service.keyOf(tier, { fresh: true, scopes: ['live'] })
      case 'key for history':
        return this.#service.keyOf(tier, { fresh: true, scopes: ['history'] })
      case 'no credits': {
        const key = await this.#service.keyOf(tier, { fresh: true })
        const caller = await access.accessControl.authenticate(key, '10.2.0.1')
        const { balance: credits } = await access.accessControl.spendable(caller)
        await access.accessControl.countBooks(caller, FREE_BOOKS_PER_DAY)
        await access.accessControl.charge(caller, { credits, endpoint: 'test', fingerprint: 'all', requestId: 'all' })
        return key
      }
      case 'revoked key': {
        const { key, keyId } = await this.#service.newAccount(tier)
        await revokeKey({ ...access, onTrouble: () => {} }, keyId)
        return key
      }
      default:
        return this.#service.keyOf(tier, { fresh: true })
    }
  }
}
