import type { Endpoint } from '../endpoint.ts'
import { getAccount } from './get-account.ts'
import { getBoard } from './get-board.ts'
import { listReviews } from './list-reviews.ts'
import { resolveReview } from './resolve-review.ts'
import { searchAccounts } from './search-accounts.ts'
import { signOutAccount } from './sign-out-account.ts'

/** For operators in the console alone. */
export const operatorEndpoints: readonly Endpoint[] = [
  getBoard,
  listReviews,
  resolveReview,
  searchAccounts,
  getAccount,
  signOutAccount,
]
