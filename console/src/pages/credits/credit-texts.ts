import type { CreditEntry } from '@bookreel/sdk'

const TEXTS: Readonly<Record<CreditEntry['kind'], string>> = {
  grant: 'Monthly credits',
  payment: 'Bought credits',
  adjustment: 'Changed by the operator',
  charge: 'Charged',
  refund: 'Charge undone',
}

/** What an entry is, with the operation that was charged. */
export function creditText({ kind, endpoint }: Pick<CreditEntry, 'kind' | 'endpoint'>): string {
  const text = Object.hasOwn(TEXTS, kind) ? TEXTS[kind] : kind
  return endpoint === null ? text : `${text}: ${endpoint.replaceAll('_', ' ')}`
}
