import type { ErrorExample } from '@bookreel/service/http/examples'
import type { SimulatedService } from '../simulated-service.ts'
import { type EventfulService, newKey, withAccess } from './eventful-service.ts'
import { type Refusal, type RefusalScene, recordRefusal } from './refusal.ts'
import { REFUSED_OUTAGES, recordOverload } from './refused-outages.ts'
import { REFUSED_REQUESTS } from './refused-requests.ts'
import { REFUSED_STATES } from './refused-states.ts'
import { jsonOf, SignedInUser } from './sender.ts'

/** Opens the accounts and processes that refused requests need. */
export async function openRefusalScene({ service, userKey, values }: EventfulService): Promise<RefusalScene> {
  const { address, keys } = service
  const strictAddress = await service.startApi('strict-api', {
    REQUIRE_HTTPS: 'true',
    PUBLIC_URL: 'https://bookreel.example',
    TRUSTED_PROXIES: '127.0.0.1',
    OIDC_ISSUER: undefined,
    OIDC_CLIENT_ID: undefined,
    OIDC_CLIENT_SECRET: undefined,
    PAYMENT_PROCESSOR: undefined,
  })
  const unpaidAddress = await service.startApi('unpaid-api', { PAYMENT_PROCESSOR: undefined })
  const freeUser = await SignedInUser.signIn(address, 'ben@example.test')
  const { id: freeKeyId } = (await freeUser.post('/v1/api-keys', { label: 'first' })) as { id: string }
  const arrangedUser = await SignedInUser.signIn(address, 'eva@example.test')
  const arrangedId = await arrangedUser.accountId()
  await withAccess(service, ({ accounts }) => accounts.setTier(arrangedId, { tier: 'scale', monthlyCredits: 0 }))
  return {
    address,
    keys: {
      free: keys.free,
      pro: userKey,
      scale: keys.scale,
      limited: await newKey(service, 'pro', { creditLimit: 5 }),
      liveOnly: await newKey(service, 'pro', { scopes: ['live'] }),
      busy: await newKey(service, 'free'),
    },
    freeUser,
    freeKeyId,
    arrangedUser,
    operator: await SignedInUser.signIn(address, 'operator@example.test', true),
    earlyOperator: await SignedInUser.signIn(address, 'operator.early@example.test'),
    values,
    lastingMarket: await lastingMarket(service, userKey),
    timeInGap: await timeInGap(service, userKey, values.MARKET),
    strictAddress,
    unpaidAddress,
  }
}

/** Examples by the name of their file, for every error code. Parts of the service are stopped, so it comes last. */
export async function recordRefusals(
  service: SimulatedService,
  scene: RefusalScene,
  failures: string[],
): Promise<Record<string, ErrorExample>> {
  const examples: Record<string, ErrorExample> = {}
  const keep = async (refusal: Refusal): Promise<void> => {
    try {
      examples[fileNameOf(refusal)] = await recordRefusal(refusal, scene)
    } catch (error) {
      failures.push((error as Error).message)
    }
  }
  for (const refusal of [...REFUSED_REQUESTS, ...REFUSED_STATES]) await keep(refusal)
  for (const refusal of REFUSED_OUTAGES) {
    const repair = await refusal.fail(service, scene)
    await keep(refusal)
    await repair()
  }
  examples.overloaded = await recordOverload()
  return examples
}

function fileNameOf({ code, status }: Refusal): string {
  return status === undefined ? code : `${code}.${status}`
}

async function lastingMarket({ address }: SimulatedService, key: string): Promise<string> {
  const path = '/v1/markets/live?category=economics&limit=1'
  const [market] = (await jsonOf(address, { method: 'GET', path, headers: { 'X-API-Key': key } })) as {
    conditionId: string
  }[]
  if (market === undefined) throw new Error('no market of economics is open')
  return market.conditionId
}

async function timeInGap({ address }: SimulatedService, key: string, market: string): Promise<string> {
  const path = `/v1/markets/${market}/gaps?kind=missing`
  const { gaps } = (await jsonOf(address, { method: 'GET', path, headers: { 'X-API-Key': key } })) as {
    gaps: { from: string; to: string }[]
  }
  const longest = gaps.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0]
  if (longest === undefined) throw new Error('the market has no gap')
  return new Date(Date.parse(longest.from) + Math.floor(lengthOf(longest) / 2)).toISOString()
}

function lengthOf({ from, to }: { from: string; to: string }): number {
  return Date.parse(to) - Date.parse(from)
}
