/** Kinds of account events that the service writes today. The list is open: an unknown kind is shown by its code. */
const TEXTS: Readonly<Record<string, string>> = {
  account_made: 'Account created',
  key_made: 'Key created',
  key_changed: 'Key changed',
  key_rotated: 'Key rotated',
  key_revoked: 'Key revoked',
  tier_changed: 'Tier changed',
  session_started: 'Signed in',
  session_ended: 'Signed out',
  review_resolved: 'Payment checked by the operator',
  sessions_ended: 'Signed out on all devices by the operator',
  accounts_searched: 'Accounts looked up as operator',
  credits_grant: 'Monthly credits added',
  credits_payment: 'Bought credits added',
  credits_charge: 'Credits charged',
  credits_replay: 'Credits charged for a replay',
  credits_void: 'Charge undone',
  credits_refund: 'Charge undone',
  credits_adjustment: 'Credits changed by the operator',
}

export function eventText(kind: string): string {
  const known = Object.hasOwn(TEXTS, kind) ? TEXTS[kind] : undefined
  if (known !== undefined) return known
  const text = kind.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const SHOWN = ['label', 'preview', 'tier', 'credits', 'plan', 'pack', 'reason', 'operator'] as const

/** The members of the detail that mean something to people. */
export function eventDetail(detail: Readonly<Record<string, unknown>>): string {
  return SHOWN.filter((name) => ['string', 'number'].includes(typeof detail[name]) && detail[name] !== '')
    .map((name) => (name === 'label' || name === 'preview' ? String(detail[name]) : `${name} ${String(detail[name])}`))
    .join(' · ')
}
