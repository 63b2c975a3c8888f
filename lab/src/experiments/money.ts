import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { spendLastCredits } from '../money/last-credits.ts'
import { payThroughKills } from '../money/pay-through-kills.ts'
import { revokeInUse } from '../money/revoke-in-use.ts'
import { shareRate } from '../money/share-rate.ts'

/** Credits of one answer of the snapshots list. */
const PRICE = 10
const PROCESSES = 4
const LAST_CREDITS = 100

export const money = experiment({
  name: 'money',
  summary: 'Whether credits, rates and revoked keys hold over several processes, killed ones among them.',
  options: {
    clients: { description: 'clients at once on the last 100 credits of an account', default: 1_000, atLeast: 11 },
    charges: { description: 'charges while the API and PostgreSQL are killed', default: 20_000, atLeast: 1 },
    kills: { description: 'kill -9 of an API process or of PostgreSQL meanwhile', default: 40, atLeast: 1 },
    accounts: { description: 'accounts that pay them', default: 40, atLeast: 1 },
    concurrency: { description: 'clients that pay at the same time', default: 32, atLeast: 1 },
    rateSeconds: { description: 'how long one account asks as fast as it can', default: 30, atLeast: 1 },
    overshoot: { description: 'requests that may be allowed beyond burst + rate · t', default: 0, atLeast: 0 },
    revocations: { description: 'keys that are revoked while they are used', default: 50, atLeast: 1 },
    markets: { description: 'markets of the simulated world', default: 40, atLeast: 20 },
    seed: { description: 'where the kills and the world start', default: 'bookreel' },
  },
  async run(settings, progress) {
    const { clients, charges, kills, accounts, concurrency, rateSeconds, overshoot, revocations, markets, seed } =
      settings
    const world = ['--markets', String(markets), '--seed', seed]
    await using service = await ApiService.start({ world, processes: PROCESSES, thenStill: true }, progress)
    const { key } = await service.openAccount('enterprise', 0)
    const ids = (await service.liveMarkets(key)).slice(0, 10).map(({ conditionId }) => conditionId)
    const pathOf = (index: number): string =>
      `/v1/markets/${ids[index % ids.length]}/snapshots?limit=2&includebook=false`
    const two = service.processes.slice(0, 2)

    progress(`${clients} clients on ${LAST_CREDITS} credits`)
    const last = await spendLastCredits(service, two, pathOf(0), { clients, credits: LAST_CREDITS })
    progress('one account as fast as it can')
    const rate = await shareRate(service, rateSeconds)
    progress('revoking keys')
    const revoked = await revokeInUse(service, revocations)
    const paid = await payThroughKills(
      service,
      service.processes,
      pathOf,
      { charges, kills, accounts, concurrency, seed, price: PRICE },
      progress,
    )
    return {
      bounds: [
        bound('served on the last credits', last.served, '=', Math.min(clients, LAST_CREDITS / PRICE)),
        bound('credits left of them', last.balance, '=', 0),
        bound('neither served nor refused', last.others, '<=', 0),
        bound('requests beyond burst + rate · t', rate.most, '<=', overshoot),
        bound('requests within it', rate.allowed, '>=', Math.min(rate.burst, rate.allowed + rate.refused)),
        bound('neither allowed nor limited', rate.others, '<=', 0),
        bound('keys revoked', revoked.revoked, '=', revocations),
        bound('requests of a revoked key that passed', revoked.passed, '<=', 0),
        bound('requests refused before', revoked.refusedBefore, '<=', 0),
        bound('kills', paid.kills.length, '=', kills),
        bound('charges answered', paid.delivered, '=', charges),
        bound('charged twice', paid.doubled, '<=', 0),
        bound('charged and never answered', paid.chargedUnanswered, '<=', 0),
        bound('answered and never charged', paid.answeredUncharged, '<=', 0),
        bound('balances that are not what the client reckons', paid.wrongBalances, '<=', 0),
        bound('balances that are not the sum of their rows', paid.drifts, '<=', 0),
      ],
      notes: [
        `last credits: ${JSON.stringify(last.statuses)}, too busy ${last.tooBusy} times`,
        `rate: ${rate.allowed} allowed and ${rate.refused} refused in ${rate.seconds} s`,
        `charges: ${JSON.stringify(paid.statuses)}, ${paid.retries} retries, ${paid.replays} replays in ${paid.seconds} s`,
      ],
      series: { lastCredits: [last], rate: [rate], revoked: [revoked], paid: [paid] },
    }
  },
})
