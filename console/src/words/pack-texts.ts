import type { ListPacksReply } from '@bookreel/sdk'
import { capitalised, dayText, numberText, type TimeZone } from './formats.ts'

/** A paid month, as the service counts it. */
const PAID_MONTH_MS = 31 * 86_400_000

export type Pack = ListPacksReply['packs'][number]

/** `Pro, 1 month` or `10,000 credits` */
export function packTitle({ tier, credits, months }: Pack): string {
  if (tier === null) return `${numberText(credits)} credits`
  return `${capitalised(tier)}, ${months === 1 ? '1 month' : `${months} months`}`
}

/** The pack may have been sold under an id that is not sold any more. */
export function packTitleOf(id: string, packs: readonly Pack[] | undefined): string {
  const pack = packs?.find((each) => each.id === id)
  return pack === undefined ? id : packTitle(pack)
}

/** What the payment of a pack has brought. */
export function grantedText(pack: Pack | undefined): string {
  if (pack === undefined) return 'What you bought is in your account.'
  const { tier, credits, months } = pack
  const added = `${numberText(credits)} credits were added, and they do not expire.`
  if (tier === null) return added
  return months === 1 ? `${packTitle(pack)}. ${added}` : `${packTitle(pack)}. ${added} The same comes with each month.`
}

/** What the account has now, as far as a purchase depends on it. */
export interface PresentPlan {
  readonly provider: string
  readonly tier: string
  readonly expiresAt: string
  readonly waiting: readonly { readonly tier: string; readonly until: string | null }[]
}

/** What buying the pack changes for an account; tiers are in the order from the lowest to the highest. */
export function purchaseText(
  { tier, credits, months }: Pack,
  { provider, tier: present, expiresAt, waiting }: PresentPlan,
  tiers: readonly string[],
  zone: TimeZone,
): string {
  if (tier === null) return 'Added once, when the payment is confirmed. Credits do not expire.'
  if (provider === 'operator') return 'The operator has set your tier, so no other tier can be bought here.'
  const rank = (name: string): number => tiers.indexOf(name)
  const monthly = `${numberText(credits)} credits a month.`
  if (tier === present) {
    const endMs = Date.parse(expiresAt) + months * PAID_MONTH_MS
    return `${monthly} Extends your present tier to ${dayText(endMs, zone)}.`
  }
  if (rank(tier) > rank(present)) {
    const rest = present === 'free' ? '' : ` The rest of ${capitalised(present)} follows it; no paid day is lost.`
    return `${monthly} Begins when the payment is confirmed.${rest}`
  }
  const before = waiting.filter((each) => rank(each.tier) >= rank(tier)).at(-1)
  const startAt = before === undefined ? expiresAt : before.until
  const when = startAt === null ? 'your present tier ends' : dayText(startAt, zone)
  return `${monthly} Waits until ${when}; no paid day is lost.`
}
