import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { ProcessorAway, ProcessorRefusal } from '../../payments/processor-http.ts'
import { endpoint } from '../endpoint.ts'

const RETRY_SECONDS = 30
const MAX_AGE_SECONDS = 300

const Currency = z
  .object({ id: z.string().describe('`currency` of a new invoice, such as btc') })
  .meta({ id: 'Currency' })

export const listCurrencies = endpoint({
  method: 'GET',
  path: '/v1/payments/currencies',
  name: 'list_currencies',
  group: 'Public',
  summary: 'List the coins that packs can be paid with',
  description: 'As the payment processor reports them; the list may be ten minutes old.',
  access: 'public',
  reply: z.object({ currencies: z.array(Currency) }).meta({ id: 'Currencies' }),
  errors: ['payments_not_configured', 'processor_unavailable'],
  table: { columns: Object.keys(Currency.shape), rows: ({ currencies }) => currencies, inRows: ['currencies'] },

  async handle({ stores, nowMs }) {
    if (stores.processors.active === undefined)
      throw new ApiError('payments_not_configured', 'Payments are not available: no payment processor is configured.')
    try {
      const { value } = await stores.currencies.read(nowMs)
      return { body: { currencies: value.map((id) => ({ id })) }, maxAgeSeconds: MAX_AGE_SECONDS }
    } catch (error) {
      if (!(error instanceof ProcessorAway || error instanceof ProcessorRefusal)) throw error
      throw new ApiError('processor_unavailable', 'The payment processor is not available. Try again in a minute.', {
        cause: error,
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
  },
})
