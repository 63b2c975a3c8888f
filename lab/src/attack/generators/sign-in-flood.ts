import type { Generator } from '../generator.ts'

const PER_SECOND = 40
const AT_ONCE = 100

/** Begin sign-ins that nobody finishes. */
export const signInFlood: Generator = {
  name: 'sign-in-flood',
  async run(attack) {
    await attack.every(PER_SECOND, AT_ONCE, async () => {
      await attack.ask({ path: '/auth/login' })
    })
  },
  bounds: () => [],
}
