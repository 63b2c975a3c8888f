import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { expireInUse } from '../money/expire-in-use.ts'
import { keepBusy } from '../money/keep-busy.ts'
import { spendLastCredits } from '../money/last-credits.ts'
import { payThroughKills } from '../money/pay-through-kills.ts'
import { repeatRequests } from '../money/repeat-requests.ts'
import { revokeInUse } from '../money/revoke-in-use.ts'
import { type SharedRate, shareRate } from '../money/share-rate.ts'

/** Credits of one answer of the snapshots list. */
const PRICE = 10
const PROCESSES = 3
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
    charges: { description: 'number of charges while the API and PostgreSQL are killed', default: 100_000, atLeast: 1 },
    minutes: { description: 'no charge begins after this time', default: 60, atLeast: 0.1 },
    kills: { description: 'number of kill -9 of PostgreSQL, and as many of an API process', default: 10, atLeast: 1 },
    accounts: { description: 'number of accounts that are charged', default: 40, atLeast: 1 },
    concurrency: { description: 'concurrent clients', default: 32, atLeast: 1 },
    rateSeconds: {
      description: 'seconds during which one account sends requests as fast as possible',
      default: 30,
      atLeast: 1,
    },
    busy: { description: 'threads that keep the machine busy during a second measurement', default: 8, atLeast: 0 },
    repeats: { description: 'number of requests that are retried while newer rows arrive', default: 20, atLeast: 1 },
    expiries: { description: 'number of keys that end while they buy', default: 10, atLeast: 1 },
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
      minutes,
      kills,
      accounts,
      concurrency,
      rateSeconds,
      busy,
      repeats,
      expiries,
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
    progress('measuring the rate limit of one account on a busy machine')
    const busyRate = await shareRateWhileBusy(service, rateSeconds, busy)
    progress('retrying requests while rows arrive')
    const repeated = await repeatRequests(service, ids, { requests: repeats, price: PRICE })
    progress('ending keys')
    const expired = await expireInUse(service, pathOf(0), { keys: expiries, price: PRICE })
    progress('revoking keys')
    const revoked = await revokeInUse(service, revocations)
    const paid = await payThroughKills(
      service,
      service.processes,
      pathOf,
      { charges, minutes, kills, accounts, concurrency, seed, price: PRICE },
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
        bound('rate limit: requests refused because of load', rate.tooBusy, '<=', shortfall),
        bound('rate limit: requests neither allowed nor limited', rate.others, '<=', 0),
        bound('rate limit, busy: requests allowed beyond burst + rate · t', busyRate.most, '<=', overshoot),
        bound('rate limit, busy: requests neither allowed nor limited', busyRate.others, '<=', 0),
        bound('retries: free with another answer', repeated.otherAnswers, '<=', 0),
        bound('retries: not free', repeated.refused, '<=', 0),
        bound('retries: more than five', repeated.tooMany, '<=', 0),
        bound('retries: requests without newer rows', repeated.unchanged, '<=', 0),
        bound('retries: credits charged for retries', repeated.overcharged, '=', 0),
        bound('expiry: requests answered after the end of their key', expired.answeredLate, '<=', 0),
        bound('expiry: credits charged without an answer', expired.chargedTooMuch, '=', 0),
        bound('keys revoked', revoked.revoked, '=', revocations),
        bound('requests accepted after revocation', revoked.passed, '<=', 0),
        bound('requests refused before revocation', revoked.refusedBefore, '<=', 0),
        bound('charges begun', paid.begun, '>=', Math.min(charges, 1)),
        bound('kills', paid.kills.length, paid.begun === charges ? '=' : '<=', 2 * kills),
        bound('charges with a response', paid.delivered, '=', paid.begun),
        bound('charges booked twice', paid.doubled, '<=', 0),
        bound('charges without a response', paid.chargedUnanswered, '<=', 0),
        bound('responses without a charge', paid.answeredUncharged, '<=', 0),
        bound('balances different from the expected value', paid.wrongBalances, '<=', 0),
        bound('balances different from the sum of their ledger rows', paid.drifts, '<=', 0),
      ],
      notes: [
        `last credits: ${JSON.stringify(last.statuses)}, too busy ${last.tooBusy} times`,
        `rate: ${rate.allowed} allowed and ${rate.refused} refused in ${rate.seconds} s`,
        `rate, busy: ${busyRate.allowed} allowed, ${busyRate.refused} refused and ${busyRate.tooBusy} too busy in ${busyRate.seconds} s`,
        `charges: ${paid.begun} of ${charges}, ${Math.round(paid.begun / Math.max(1, paid.seconds))} a second, ${paid.kills.length} kills`,
        `charges: ${JSON.stringify(paid.statuses)}, ${paid.retries} retries, ${paid.replays} replays in ${paid.seconds} s`,
      ],
      series: {
        lastCredits: [last],
        rate: [rate, busyRate],
        repeated: [repeated],
        expired: [expired],
        revoked: [revoked],
        paid: [paid],
      },
    }
  },
})

async function shareRateWhileBusy(service: ApiService, seconds: number, threads: number): Promise<SharedRate> {
  await using _ = keepBusy(threads)
  return await shareRate(service, seconds)
}
