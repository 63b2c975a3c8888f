import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const PER_SECOND = 40
const AT_ONCE = 100
const BODY = Buffer.from(JSON.stringify({ payment_id: 1, payment_status: 'finished', pad: 'x'.repeat(30_000) }))

/** Send large payment callbacks with a wrong signature. */
export const callbackFlood: Generator = {
  name: 'callback-flood',
  async run(attack) {
    const headers = { 'content-type': 'application/json', 'x-nowpayments-sig': '0'.repeat(128) }
    await attack.every(PER_SECOND, AT_ONCE, async () => {
      await attack.ask({ path: '/v1/payments/callbacks/nowpayments', method: 'POST', headers, body: BODY })
    })
  },
  bounds: ({ counts }) => [bound('callback-flood: callbacks accepted', counts['status 200'] ?? 0, '<=', 0)],
}
