/** Reasons of payment reviews that the service gives today. The list is open: an unknown one is shown by its code. */
const REVIEW_TEXTS: Readonly<Record<string, string>> = {
  mismatch: 'The payment does not belong to the order, or has another price.',
  overpaid: 'More than the price has arrived.',
  refunded_after_paid: 'The money was sent back after the credits had been added.',
  reversed_after_paid: 'The payment was undone after the credits had been added.',
  paid_after_refund: 'A payment came after the money had been sent back.',
  unknown_invoice: 'The processor reported a payment for an invoice that does not exist here.',
  unknown_status: 'The processor reported a state that this version does not know.',
  underpaid: 'Less than the price has arrived.',
  paid_late: 'The payment came after the invoice had expired.',
  failed_with_money: 'The payment failed, but some money has arrived.',
  child_payment: 'The money came as a further deposit to the address, at another rate.',
  wrong_asset: 'The money came in another coin than the one asked for.',
  low_outcome: 'Clearly less has reached the shop than was paid.',
  tier_arranged: 'Months of a tier were bought while the tier was set by the operator.',
}

export function reviewText(reason: string): string {
  const known = Object.hasOwn(REVIEW_TEXTS, reason) ? REVIEW_TEXTS[reason] : undefined
  return known ?? reason.replaceAll('_', ' ')
}

const KIB = 1_024

/** 1.5 MiB */
export function bytesText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`
  if (bytes < KIB * KIB) return `${(bytes / KIB).toFixed(1)} KiB`
  return `${(bytes / KIB / KIB).toFixed(1)} MiB`
}

/** 1,234.5 per second */
export function rateText(perSecond: number): string {
  return perSecond.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
}

/** 850 ms, or 12.3 s from ten seconds on. */
export function ageText(ms: number): string {
  return ms < 10_000 ? `${ms.toLocaleString('en-US')} ms` : `${(ms / 1_000).toFixed(1)} s`
}
