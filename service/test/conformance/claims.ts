import type { Claim } from './claim.ts'
import { accountClaims } from './claims-account.ts'
import { accountAddedClaims } from './claims-account-added.ts'
import { addedClaims } from './claims-added.ts'
import { agreementClaims } from './claims-agreement.ts'
import { bookClaims } from './claims-books.ts'
import { boundClaims } from './claims-bounds.ts'
import { captureClaims } from './claims-capture.ts'
import { coinPriceClaims } from './claims-coin-price.ts'
import { coverageClaims } from './claims-coverage.ts'
import { creditClaims } from './claims-credits.ts'
import { eventClaims } from './claims-events.ts'
import { exchangeClaims } from './claims-exchange.ts'
import { fileClaims } from './claims-files.ts'
import { filterClaims } from './claims-filters.ts'
import { findingClaims } from './claims-finding.ts'
import { flatFileClaims } from './claims-flat-files.ts'
import { formatClaims } from './claims-formats.ts'
import { formClaims } from './claims-forms.ts'
import { headerClaims } from './claims-headers.ts'
import { historyListClaims } from './claims-history-lists.ts'
import { httpClaims } from './claims-http.ts'
import { invoiceClaims } from './claims-invoices.ts'
import { keyClaims } from './claims-keys.ts'
import { liveListClaims } from './claims-live-list.ts'
import { marketClaims } from './claims-markets.ts'
import { nameClaims } from './claims-names.ts'
import { parameterClaims } from './claims-parameters.ts'
import { perpHourClaims } from './claims-perp-hours.ts'
import { publicClaims } from './claims-public.ts'
import { rangeClaims } from './claims-ranges.ts'
import { replayClaims } from './claims-replay.ts'
import { resultClaims } from './claims-results.ts'
import { scopeClaims } from './claims-scopes.ts'
import { slugClaims } from './claims-slugs.ts'
import { snapshotAtClaims } from './claims-snapshot-at.ts'
import { snapshotClaims } from './claims-snapshots.ts'
import { tapeClaims } from './claims-tape.ts'
import { tierClaims } from './claims-tiers.ts'
import { transportClaims } from './claims-transport.ts'
import { venueClaims } from './claims-venues.ts'

/** All claims, by subject. */
export const CLAIMS: readonly Claim[] = [
  ...publicClaims,
  ...liveListClaims,
  ...filterClaims,
  ...fileClaims,
  ...venueClaims,
  ...marketClaims,
  ...slugClaims,
  ...findingClaims,
  ...coinPriceClaims,
  ...bookClaims,
  ...historyListClaims,
  ...snapshotClaims,
  ...snapshotAtClaims,
  ...exchangeClaims,
  ...tapeClaims,
  ...perpHourClaims,
  ...rangeClaims,
  ...boundClaims,
  ...headerClaims,
  ...scopeClaims,
  ...transportClaims,
  ...flatFileClaims,
  ...nameClaims,
  ...formClaims,
  ...formatClaims,
  ...parameterClaims,
  ...keyClaims,
  ...tierClaims,
  ...creditClaims,
  ...accountClaims,
  ...accountAddedClaims,
  ...eventClaims,
  ...invoiceClaims,
  ...agreementClaims,
  ...httpClaims,
  ...addedClaims,
  ...resultClaims,
  ...coverageClaims,
  ...captureClaims,
  ...replayClaims,
]
