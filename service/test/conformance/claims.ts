import type { Claim } from './claim.ts'
import { agreementClaims } from './claims-agreement.ts'
import { boundClaims } from './claims-bounds.ts'
import { coinPriceClaims } from './claims-coin-price.ts'
import { filterClaims } from './claims-filters.ts'
import { findingClaims } from './claims-finding.ts'
import { flatFileClaims } from './claims-flat-files.ts'
import { formClaims } from './claims-forms.ts'
import { headerClaims } from './claims-headers.ts'
import { historyListClaims } from './claims-history-lists.ts'
import { httpClaims } from './claims-http.ts'
import { liveListClaims } from './claims-live-list.ts'
import { nameClaims } from './claims-names.ts'
import { rangeClaims } from './claims-ranges.ts'
import { scopeClaims } from './claims-scopes.ts'
import { transportClaims } from './claims-transport.ts'
import { claimsOf } from './row.ts'
import { accessRows } from './rows-access.ts'
import { accountRows } from './rows-account.ts'
import { exchangeRows } from './rows-exchange.ts'
import { invoiceRows } from './rows-invoices.ts'
import { marketRows } from './rows-markets.ts'
import { moneyRows } from './rows-money.ts'
import { parameterRows } from './rows-parameters.ts'
import { publicRows } from './rows-public.ts'
import { shapeRows } from './rows-shapes.ts'
import { slugRows } from './rows-slugs.ts'
import { snapshotRows } from './rows-snapshots.ts'
import { tierRows } from './rows-tiers.ts'

/** All claims. */
export const CLAIMS: readonly Claim[] = [
  ...filterClaims,
  ...liveListClaims,
  ...historyListClaims,
  ...claimsOf('public', publicRows),
  ...claimsOf('shapes', shapeRows),
  ...claimsOf('access', accessRows),
  ...claimsOf('parameters', parameterRows),
  ...claimsOf('tiers', tierRows),
  ...claimsOf('slugs', slugRows),
  ...claimsOf('markets', marketRows),
  ...claimsOf('snapshots', snapshotRows),
  ...claimsOf('exchange', exchangeRows),
  ...claimsOf('money', moneyRows),
  ...claimsOf('account', accountRows),
  ...claimsOf('invoices', invoiceRows),
  ...agreementClaims,
  ...formClaims,
  ...httpClaims,
  ...findingClaims,
  ...coinPriceClaims,
  ...rangeClaims,
  ...boundClaims,
  ...headerClaims,
  ...scopeClaims,
  ...transportClaims,
  ...flatFileClaims,
  ...nameClaims,
]
