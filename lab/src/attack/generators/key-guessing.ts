import { makeKey } from '@bookreel/service/access/key-format'
import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const PER_SECOND = 60
const AT_ONCE = 100
const ADDRESSES = 10
/** For each address: 30 at once and 30 a minute, and some for answers that were on their way. */
const [BURST, REFILL_PER_SECOND, SLACK] = [30, 0.5, 5]

/** Try keys with a correct checksum, which only the database can tell from real ones. */
export const keyGuessing: Generator = {
  name: 'key-guessing',
  async run(attack) {
    await attack.every(PER_SECOND, AT_ONCE, async (index) => {
      await attack.ask({ path: '/v1/limits', headers: { 'x-api-key': makeKey() }, from: index % ADDRESSES })
    })
  },
  bounds: ({ counts }, { seconds }) => [
    bound('key-guessing: guesses accepted', counts['status 200'] ?? 0, '<=', 0),
    bound(
      'key-guessing: guesses answered with 401',
      counts['status 401'] ?? 0,
      '<=',
      Math.ceil(ADDRESSES * (BURST + SLACK + seconds * REFILL_PER_SECOND)),
    ),
  ],
}
