import { ConfigSchema } from '../config.ts'
import { checkValue } from '../domain/value-problems.ts'
import type { VenueAddresses } from '../fieldcheck/run-fieldcheck.ts'

const AddressSchema = ConfigSchema.pick({
  POLYMARKET_GAMMA_URL: true,
  POLYMARKET_CLOB_URL: true,
  POLYMARKET_SOCKET_URL: true,
  POLYMARKET_PRICE_SOCKET_URL: true,
  HYPERLIQUID_INFO_URL: true,
  HYPERLIQUID_SOCKET_URL: true,
  BINANCE_REST_URL: true,
  BINANCE_SOCKET_URL: true,
})

/** Only the addresses of venues, for a command that needs no engines; all of them have defaults. */
export function readVenueAddresses(environment: Record<string, string | undefined>): VenueAddresses {
  const read = checkValue(AddressSchema, environment, 'environment')
  if ('data' in read) return read.data
  const lines = read.problems.map(({ parameter, problem }) => `  ${parameter} ${problem}.`)
  throw new Error(`Some addresses of venues are wrong (docs/config.md describes them):\n${lines.join('\n')}`)
}
