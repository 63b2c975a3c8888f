import { makeKey } from '@bookreel/service/access/key-format'
import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const PER_SECOND = 60
const AT_ONCE = 100

/** Try keys with a correct checksum, which only the database can tell from real ones. */
export const keyGuessing: Generator = {
  name: 'key-guessing',
  async run(attack) {
    await attack.every(PER_SECOND, AT_ONCE, async () => {
      await attack.ask({ path: '/v1/limits', headers: { 'x-api-key': makeKey() } })
    })
  },
  bounds: ({ counts }) => [bound('key-guessing: guesses accepted', counts['status 200'] ?? 0, '<=', 0)],
}
