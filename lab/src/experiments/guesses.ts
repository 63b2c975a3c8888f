import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { GuessBench } from '../guesses/guess-bench.ts'
import { guessFlood } from '../guesses/guess-flood.ts'
import { keyTiming } from '../guesses/key-timing.ts'
import { hundredths } from '../hundredths.ts'

export const guesses = experiment({
  name: 'guesses',
  summary: 'Guesses API keys from many addresses, and compares how unknown, revoked and expired keys are refused.',
  options: {
    guesses: { description: 'number of guesses', default: 1_000_000, atLeast: 100 },
    addresses: { description: 'number of client addresses', default: 32, atLeast: 1 },
    concurrency: { description: 'concurrent requests', default: 32, atLeast: 1 },
    reads: { description: 'maximum share of guesses that read the database, in %', default: 1, atLeast: 0 },
    keys: { description: 'revoked and expired keys whose refusals are timed', default: 60, atLeast: 2 },
    rounds: { description: 'measurements of each of these keys', default: 5, atLeast: 1 },
    differenceMs: {
      description: 'maximum difference of the median response times of refused keys, in ms',
      default: 0.5,
      atLeast: 0,
    },
    busy: { description: 'maximum number of 503 answers to the customer', default: 0, atLeast: 0 },
    minutes: { description: 'maximum duration in minutes', default: 40, atLeast: 0.1 },
  },
  async run(
    { guesses: guessCount, addresses, concurrency, reads, keys, rounds, differenceMs, busy, minutes },
    progress,
  ) {
    await using bench = await GuessBench.start(progress)
    progress('timing refused keys')
    const timing = await keyTiming(bench, keys, rounds)
    const untilMs = performance.now() + minutes * 60_000
    const flood = await guessFlood(bench, { guesses: guessCount, addresses, concurrency, untilMs }, progress)
    const { unknownMs, revokedMs, expiredMs } = timing
    const honestAsked = sum(Object.values(flood.honest))
    const [honestServed = 0, honestBusy = 0] = [flood.honest[200], flood.honest[503]]
    const share = (100 * flood.keyReads) / flood.sent
    return {
      bounds: [
        bound('guesses', flood.sent, '=', guessCount),
        bound('guesses accepted', flood.accepted, '<=', 0),
        bound('guesses that read the database', Math.round(share * 1_000) / 1_000, '<=', reads, '%'),
        bound('responses with status 500 or above, except 503', flood.serverErrors, '<=', 0),
        bound('guesses without a response', flood.unanswered, '<=', 0),
        bound('requests of a customer at one of the addresses', honestAsked, '>=', 1),
        bound('requests of this customer refused', honestAsked - honestServed - honestBusy, '<=', 0),
        bound('requests of this customer answered with 503', honestBusy, '<=', busy),
        bound('revoked key, difference to an unknown key', differ(revokedMs, unknownMs), '<=', differenceMs, 'ms'),
        bound('expired key, difference to an unknown key', differ(expiredMs, unknownMs), '<=', differenceMs, 'ms'),
        bound('refused keys with another answer', timing.differentAnswers, '<=', 0),
      ],
      series: { flood: [flood], timing: [timing] },
      notes: [
        `${Math.round(flood.sent / flood.seconds)} guesses a second, ${flood.keyReads} reads, ${JSON.stringify(flood.statuses)}`,
        `answers to the customer: ${JSON.stringify(flood.honest)}`,
        `refused in (median): unknown ${hundredths(unknownMs)} ms, revoked ${hundredths(revokedMs)} ms, expired ${hundredths(expiredMs)} ms`,
      ],
    }
  },
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function differ(one: number, other: number): number {
  return hundredths(Math.abs(one - other))
}
