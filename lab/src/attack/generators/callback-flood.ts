import { bound } from '../../bound.ts'
import type { Generator } from '../generator.ts'

const PER_SECOND = 80
const AT_ONCE = 200
const BODY = Buffer.from(JSON.stringify({ payment_id: 1, payment_status: 'finished', pad: 'x'.repeat(30_000) }))
/** For one address: 600 at once and 1,200 a minute, and some for answers that were on their way. */
const [BURST, REFILL_PER_SECOND, SLACK] = [600, 20, 50]

/** Send large payment callbacks with a wrong signature from one address. */
export const callbackFlood: Generator = {
  name: 'callback-flood',
  async run(attack) {
    const headers = { 'content-type': 'application/json', 'x-nowpayments-sig': '0'.repeat(128) }
    const path = '/v1/payments/callbacks/nowpayments'
    await attack.every(PER_SECOND, AT_ONCE, async () => {
      await attack.ask({ path, method: 'POST', headers, body: BODY, from: 0 })
    })
  },
  bounds: ({ counts }, { seconds }) => [
    bound('callback-flood: callbacks accepted', counts['status 200'] ?? 0, '<=', 0),
    bound(
      'callback-flood: signatures checked',
      counts['status 401'] ?? 0,
      '<=',
      Math.ceil(BURST + SLACK + seconds * REFILL_PER_SECOND),
    ),
  ],
}
