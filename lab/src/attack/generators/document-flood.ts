import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const PER_SECOND = 60
const AT_ONCE = 100
const ADDRESSES = 2
/** For each address: 150 at once and 300 a minute, and some for answers that were on their way. */
const [BURST, REFILL_PER_SECOND, SLACK] = [150, 5, 20]

/** Ask for the largest documents that need no key. */
export const documentFlood: Generator = {
  name: 'document-flood',
  async run(attack) {
    await attack.every(PER_SECOND, AT_ONCE, async (index) => {
      await attack.ask({ path: '/openapi.json', from: index % ADDRESSES })
    })
  },
  bounds: ({ counts }, { seconds }) => [
    bound(
      'document-flood: documents sent',
      counts['status 200'] ?? 0,
      '<=',
      Math.ceil(ADDRESSES * (BURST + SLACK + seconds * REFILL_PER_SECOND)),
    ),
  ],
}
