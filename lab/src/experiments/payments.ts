import { type Bound, bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import type { Audit } from '../payments/audit.ts'
import { callbackStorm } from '../payments/callback-storm.ts'
import { payThroughDeaths } from '../payments/pay-through-deaths.ts'
import { PaymentBench } from '../payments/payment-bench.ts'
import { shuffledWalks } from '../payments/shuffled-walks.ts'

export const payments = experiment({
  name: 'payments',
  summary: 'Whether a payment brings what was bought once: forged, shuffled, lost and repeated callbacks, and deaths.',
  options: {
    callbacks: { description: 'callbacks that are forged, changed, replayed or untrue', default: 10_000, atLeast: 1 },
    walks: { description: 'invoices whose callbacks are shuffled, repeated and lost', default: 1_000, atLeast: 1 },
    kills: { description: 'deaths of the API, of the workers, and absences of the processor', default: 30, atLeast: 3 },
    each: { description: 'invoices that are paid around each of them', default: 10, atLeast: 1 },
    answerMs: { description: 'how long 99 of 100 callbacks may wait for their answer', default: 100, atLeast: 1 },
    seed: { description: 'where all of it starts', default: 'bookreel' },
  },
  async run({ callbacks, walks, kills, each, answerMs, seed }, progress) {
    await using bench = await PaymentBench.start(progress)
    const storm = await callbackStorm(bench, { callbacks, seed }, progress)
    const shuffled = await shuffledWalks(bench, { walks, seed }, progress)
    const deaths = await payThroughDeaths(bench, { kills, each, seed }, progress)
    return {
      bounds: [
        bound('callbacks sent', storm.sent, '=', callbacks),
        bound('forged callbacks taken', storm.forgeriesTaken, '<=', 0),
        bound('signed callbacks refused', storm.signedRefused, '<=', 0),
        bound('answer to a callback, p99', storm.p99Ms, '<=', answerMs, 'ms'),
        ...sound('storm', storm),
        bound('walks', shuffled.walks, '=', walks),
        bound('walks: grants', shuffled.granted, '=', shuffled.paid),
        ...sound('walks', shuffled),
        bound('deaths', deaths.kills.length, '=', kills),
        bound('deaths: grants', deaths.granted, '=', deaths.paid),
        ...sound('deaths', deaths),
      ],
      notes: [
        `storm: ${JSON.stringify(storm.statuses)}, ${storm.granted} grants`,
        `walks: ${shuffled.callbacks} callbacks, ${shuffled.silent} silent, settled ${shuffled.settledWithinMs} ms after the last`,
        `deaths: ${deaths.paid} paid, settled ${deaths.settledWithinMs} ms after the last`,
      ],
      series: { storm: [storm], walks: [shuffled], deaths: [deaths] },
    }
  },
})

function sound(part: string, { missing, wrong, doubled, wrongMonths, drifts }: Audit): Bound[] {
  return [
    bound(`${part}: paid and not given`, missing, '<=', 0),
    bound(`${part}: given and not paid, or not as bought`, wrong, '<=', 0),
    bound(`${part}: given twice`, doubled, '<=', 0),
    bound(`${part}: months not there exactly once`, wrongMonths, '<=', 0),
    bound(`${part}: balances that are not the sum of their rows`, drifts, '<=', 0),
  ]
}
