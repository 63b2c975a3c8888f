import { expect, test } from 'vitest'
import type { OpenSession } from './sessions.ts'
import { MAX_SUSPECT_SESSIONS, SuspectSessions } from './suspect-sessions.ts'

test('few sessions are looked up at once, a thousand wait, and further ones count as none', async () => {
  let running = 0
  let most = 0
  let asked = 0
  const suspects = new SuspectSessions({
    async find(token) {
      asked++
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return token === 'open' ? ({} as OpenSession) : undefined
    },
  })
  const customer = suspects.isOpen('open')
  const found = await Promise.all(Array.from({ length: 5_000 }, (_, index) => suspects.isOpen(`guess-${index}`)))
  expect(await customer).toBe(true)
  expect(found).not.toContain(true)
  expect([most, asked]).toEqual([8, MAX_SUSPECT_SESSIONS + 8])
  expect(await suspects.isOpen('open'), 'there is room again').toBe(true)
})
