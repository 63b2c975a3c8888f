import { type Bound, bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import type { Audit } from '../payments/audit.ts'
import { callbackStorm } from '../payments/callback-storm.ts'
import { payThroughDeaths } from '../payments/pay-through-deaths.ts'
import { PaymentBench } from '../payments/payment-bench.ts'
import { shuffledWalks } from '../payments/shuffled-walks.ts'

export const payments = experiment({
  name: 'payments',
  summary:
    'Checks that each payment is granted exactly once with forged, reordered, lost and repeated callbacks and killed processes.',
  options: {
    callbacks: { description: 'number of forged, changed, replayed or false callbacks', default: 10_000, atLeast: 1 },
    walks: {
      description: 'number of invoices whose callbacks are reordered, repeated and lost',
      default: 1_000,
      atLeast: 1,
    },
    kills: { description: 'number of kills of API and workers, and outages of the processor', default: 30, atLeast: 3 },
    each: { description: 'invoices paid around each kill or outage', default: 10, atLeast: 1 },
    answerMs: { description: 'maximum p99 response time of a callback, in ms', default: 100, atLeast: 1 },
    seed: { description: 'seed of the random numbers', default: 'bookreel' },
  },
  async run({ callbacks, walks, kills, each, answerMs, seed }, progress) {
    await using bench = await PaymentBench.start(progress)
    const storm = await callbackStorm(bench, { callbacks, seed }, progress)
    const shuffled = await shuffledWalks(bench, { walks, seed }, progress)
    const deaths = await payThroughDeaths(bench, { kills, each, seed }, progress)
    return {
      bounds: [
        bound('callbacks sent', storm.sent, '=', callbacks),
        bound('forged callbacks accepted', storm.forgeriesTaken, '<=', 0),
        bound('signed callbacks refused', storm.signedRefused, '<=', 0),
        bound('callbacks answered with 5xx', storm.failures, '<=', 0),
        bound('response time of a callback, p99', storm.p99Ms, '<=', answerMs, 'ms'),
        ...auditBounds('forged callbacks', storm),
        bound('reordered callbacks: invoices', shuffled.walks, '=', walks),
        bound('reordered callbacks: grants', shuffled.granted, '=', shuffled.paid),
        ...auditBounds('reordered callbacks', shuffled),
        bound('kills and outages', deaths.kills.length, '=', kills),
        bound('kills and outages: grants', deaths.granted, '=', deaths.paid),
        ...auditBounds('kills and outages', deaths),
      ],
      notes: [
        `storm: ${JSON.stringify(storm.statuses)}, ${storm.hostile} of hostile bytes, ${storm.perSecond} a second, ${storm.granted} grants`,
        `walks: ${shuffled.callbacks} callbacks, ${shuffled.silent} silent, settled ${shuffled.settledWithinMs} ms after the last`,
        `deaths: ${deaths.paid} paid, settled ${deaths.settledWithinMs} ms after the last`,
      ],
      series: { storm: [storm], walks: [shuffled], deaths: [deaths] },
    }
  },
})

function auditBounds(part: string, { missing, wrong, doubled, wrongMonths, drifts }: Audit): Bound[] {
  return [
    bound(`${part}: paid but not granted`, missing, '<=', 0),
    bound(`${part}: granted but not paid, or not as bought`, wrong, '<=', 0),
    bound(`${part}: granted twice`, doubled, '<=', 0),
    bound(`${part}: months not granted exactly once`, wrongMonths, '<=', 0),
    bound(`${part}: balances different from the sum of their ledger rows`, drifts, '<=', 0),
  ]
}
