import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endpoints } from '../../src/endpoints/index.ts'
import { jsonSchemaOf } from '../../src/endpoints/schemas/json-schema.ts'
import { envelopeHeaders } from '../../src/http/envelope-headers.ts'
import { flatten } from '../../src/http/tabular.ts'
import { anyOf } from './any-value.ts'
import { assertNothingLost, envelopeBytes } from './flat-file.ts'

const MAX_ENVELOPE_BYTES = 4_096
const DELIMITERS = { csv: ',', tsv: '\t' } as const

/** Both rows of a market repeat what is said of the market; a real answer agrees with itself. */
function agreeing(name: string, answer: unknown): unknown {
  if (name !== 'get_asof') return answer
  const { markets, ...rest } = answer as { markets: Record<string, object | null>[] }
  const token = (market: Record<string, object | null>, side: 'UP' | 'DOWN') => {
    const { spot_crypto_usd, spot_crypto_age_ms } = market
    const book = market[side.toLowerCase()]
    return book && { ...book, side, spot_crypto_usd, spot_crypto_age_ms }
  }
  return { ...rest, markets: markets.map((each) => ({ ...each, up: token(each, 'UP'), down: token(each, 'DOWN') })) }
}

test.each(endpoints.filter(({ method }) => method === 'GET').map((endpoint) => [endpoint.name, endpoint] as const))(
  '4.2 · A flat file and its headers have every member of the JSON answer · %s',
  (_, endpoint) => {
    fc.assert(
      fc.property(anyOf(jsonSchemaOf(endpoint.reply, 'output')), fc.constantFrom('csv', 'tsv'), (drawn, format) => {
        const answer = agreeing(endpoint.name, drawn)
        const file = flatten(endpoint, answer, { format, isWithoutBooks: false, isSpreadsheetSafe: false })
        const headers = envelopeHeaders(file.envelope, '/somewhere?format=json')
        assertNothingLost(answer, { text: file.text, headers }, DELIMITERS[format])
        expect(envelopeBytes({ headers })).toBeLessThanOrEqual(MAX_ENVELOPE_BYTES)
      }),
      { numRuns: 30, seed: 1 },
    )
  },
)
