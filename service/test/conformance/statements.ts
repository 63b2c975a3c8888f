import type { Statement } from './statement.ts'
import { ACCESS } from './statements-access.ts'
import { LIMITS } from './statements-limits.ts'
import { MARKET_ENDPOINTS } from './statements-market-endpoints.ts'
import { MARKET_PARAMETERS } from './statements-market-parameters.ts'
import { MARKET_RESOURCES } from './statements-markets.ts'
import { OPEN } from './statements-open.ts'
import { OTHER_ENDPOINTS } from './statements-other-endpoints.ts'
import { OVERVIEW } from './statements-overview.ts'
import { OTHER_RESOURCES } from './statements-resources.ts'

/** Every sentence and table row of the interface, in its order, then what it does not mention. */
export const STATEMENTS: readonly Statement[] = [
  ...OVERVIEW,
  ...MARKET_RESOURCES,
  ...OTHER_RESOURCES,
  ...MARKET_ENDPOINTS,
  ...MARKET_PARAMETERS,
  ...OTHER_ENDPOINTS,
  ...ACCESS,
  ...LIMITS,
  ...OPEN,
]
