export const OPS_VIEWS = ['board', 'reviews', 'accounts'] as const
export type OpsView = (typeof OPS_VIEWS)[number]

export interface OpsSearch {
  readonly view?: OpsView
  /** What was searched for. */
  readonly q?: string
  /** The account that is shown. */
  readonly account?: string
}

const MAX_SEARCH_LENGTH = 200

/** Reads the view from the address; a wrong value becomes the default. */
export function readOpsSearch(search: Record<string, unknown>): OpsSearch {
  const view = OPS_VIEWS.find((each) => each === search.view)
  const { q, account } = search
  return {
    ...(view !== undefined && { view }),
    ...(typeof q === 'string' && q !== '' && { q: q.slice(0, MAX_SEARCH_LENGTH) }),
    ...(typeof account === 'string' && /^[\da-f-]{36}$/.test(account) && { account }),
  }
}
