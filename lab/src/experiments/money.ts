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
  summary: 'Checks credits, rate limits and key revocation across several API processes, also while they are killed.',
  options: {
    clients: {
      description: 'concurrent clients that spend the last 100 credits of an account',
      default: 1_000,
      atLeast: 11,
    },
    charges: { description: 'number of charges while the API and PostgreSQL are killed', default: 20_000, atLeast: 1 },
    kills: { description: 'number of kill -9 of an API process or PostgreSQL', default: 40, atLeast: 1 },
    accounts: { description: 'number of accounts that are charged', default: 40, atLeast: 1 },
    concurrency: { description: 'concurrent clients', default: 32, atLeast: 1 },
    rateSeconds: {
      description: 'seconds during which one account sends requests as fast as possible',
      default: 30,
      atLeast: 1,
    },
    overshoot: { description: 'maximum number of requests allowed beyond burst + rate · t', default: 0, atLeast: 0 },
    shortfall: {
      description: 'maximum number of requests refused within the burst, as a node does while Redis is slow',
      default: 0,
      atLeast: 0,
    },
    revocations: { description: 'number of keys revoked while in use', default: 50, atLeast: 1 },
    markets: { description: 'number of simulated markets', default: 40, atLeast: 20 },
    seed: { description: 'seed of the kills and the simulated world', default: 'bookreel' },
  },
  async run(settings, progress) {
    const {
      clients,
      charges,
      kills,
      accounts,
      concurrency,
      rateSeconds,
      overshoot,
      shortfall,
      revocations,
      markets,
      seed,
    } = settings
    const world = ['--markets', String(markets), '--seed', seed]
    await using service = await ApiService.start({ world, processes: PROCESSES, thenStill: true }, progress)
    const { key } = await service.openAccount('enterprise', 0)
    const ids = (await service.liveMarkets(key)).slice(0, 10).map(({ conditionId }) => conditionId)
    const pathOf = (index: number): string =>
      `/v1/markets/${ids[index % ids.length]}/snapshots?limit=2&includebook=false`
    const two = service.processes.slice(0, 2)

    progress(`${clients} clients spend ${LAST_CREDITS} credits`)
    const last = await spendLastCredits(service, two, pathOf(0), { clients, credits: LAST_CREDITS })
    progress('measuring the rate limit of one account')
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
        bound('last credits: requests served', last.served, '=', Math.min(clients, LAST_CREDITS / PRICE)),
        bound('last credits: balance at the end', last.balance, '=', 0),
        bound('last credits: requests neither served nor refused', last.others, '<=', 0),
        bound('rate limit: requests allowed beyond burst + rate · t', rate.most, '<=', overshoot),
        bound(
          'rate limit: requests allowed',
          rate.allowed,
          '>=',
          Math.min(rate.burst, rate.allowed + rate.refused) - shortfall,
        ),
        bound('rate limit: requests neither allowed nor limited', rate.others, '<=', 0),
        bound('keys revoked', revoked.revoked, '=', revocations),
        bound('requests accepted after revocation', revoked.passed, '<=', 0),
        bound('requests refused before revocation', revoked.refusedBefore, '<=', 0),
        bound('kills', paid.kills.length, '=', kills),
        bound('charges with a response', paid.delivered, '=', charges),
        bound('charges booked twice', paid.doubled, '<=', 0),
        bound('charges without a response', paid.chargedUnanswered, '<=', 0),
        bound('responses without a charge', paid.answeredUncharged, '<=', 0),
        bound('balances different from the expected value', paid.wrongBalances, '<=', 0),
        bound('balances different from the sum of their ledger rows', paid.drifts, '<=', 0),
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
