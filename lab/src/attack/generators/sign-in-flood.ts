import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const PER_SECOND = 40
const AT_ONCE = 100
const ADDRESSES = 10
/** For each address: 30 at once and 30 a minute, and some for answers that were on their way. */
const [BURST, REFILL_PER_SECOND, SLACK] = [30, 0.5, 5]

/** Begin sign-ins that nobody finishes. */
export const signInFlood: Generator = {
  name: 'sign-in-flood',
  async run(attack) {
    await attack.every(PER_SECOND, AT_ONCE, async (index) => {
      await attack.ask({ path: '/auth/login', from: index % ADDRESSES })
    })
  },
  bounds: ({ counts }, { seconds }) => [
    bound(
      'sign-in-flood: sign-ins begun',
      counts['status 303'] ?? 0,
      '<=',
      Math.ceil(ADDRESSES * (BURST + SLACK + seconds * REFILL_PER_SECOND)),
    ),
  ],
}
