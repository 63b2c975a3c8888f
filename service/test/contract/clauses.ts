import type { Clause } from './clause.ts'
import { accountClauses } from './clauses/account.ts'
import { accountAddedClauses } from './clauses/account-added.ts'
import { addedClauses } from './clauses/added.ts'
import { agreementClauses } from './clauses/agreement.ts'
import { bookClauses } from './clauses/books.ts'
import { captureClauses } from './clauses/capture.ts'
import { coinPriceClauses } from './clauses/coin-price.ts'
import { coverageClauses } from './clauses/coverage.ts'
import { creditClauses } from './clauses/credits.ts'
import { eventClauses } from './clauses/events.ts'
import { everyEndpointClauses } from './clauses/every-endpoint.ts'
import { cursorClauses, everyParameterClauses } from './clauses/every-parameter.ts'
import { exchangeClauses } from './clauses/exchange.ts'
import { fileClauses } from './clauses/files.ts'
import { filterClauses } from './clauses/filters.ts'
import { findingClauses } from './clauses/finding.ts'
import { flatFileClauses } from './clauses/flat-files.ts'
import { formatClauses } from './clauses/formats.ts'
import { formClauses } from './clauses/forms.ts'
import { headerClauses } from './clauses/headers.ts'
import { historyListClauses } from './clauses/history-lists.ts'
import { httpClauses } from './clauses/http.ts'
import { invoiceClauses } from './clauses/invoices.ts'
import { keyClauses } from './clauses/keys.ts'
import { liveListClauses } from './clauses/live-list.ts'
import { marketClauses } from './clauses/markets.ts'
import { nameClauses } from './clauses/names.ts'
import { perpHourClauses } from './clauses/perp-hours.ts'
import { publicClauses } from './clauses/public.ts'
import { refusedValueClauses } from './clauses/refused-values.ts'
import { replayClauses } from './clauses/replay.ts'
import { slugClauses } from './clauses/slugs.ts'
import { snapshotAtClauses } from './clauses/snapshot-at.ts'
import { snapshotClauses } from './clauses/snapshots.ts'
import { tapeClauses } from './clauses/tape.ts'
import { tierClauses } from './clauses/tiers.ts'
import { venueClauses } from './clauses/venues.ts'

/** All clauses, by subject. */
export const CLAUSES: readonly Clause[] = [
  ...everyEndpointClauses,
  ...everyParameterClauses,
  ...refusedValueClauses,
  ...publicClauses,
  ...liveListClauses,
  ...filterClauses,
  ...fileClauses,
  ...venueClauses,
  ...marketClauses,
  ...slugClauses,
  ...findingClauses,
  ...coinPriceClauses,
  ...bookClauses,
  ...historyListClauses,
  ...snapshotClauses,
  ...snapshotAtClauses,
  ...exchangeClauses,
  ...tapeClauses,
  ...perpHourClauses,
  ...headerClauses,
  ...flatFileClauses,
  ...nameClauses,
  ...formClauses,
  ...formatClauses,
  ...keyClauses,
  ...tierClauses,
  ...creditClauses,
  ...accountClauses,
  ...accountAddedClauses,
  ...eventClauses,
  ...invoiceClauses,
  ...agreementClauses,
  ...httpClauses,
  ...addedClauses,
  ...coverageClauses,
  ...captureClauses,
  ...replayClauses,
  ...cursorClauses,
]
