/** Members that hold words of a venue, or of whoever wrote there. They are never ours to vouch for. */
export const VENUE_TEXT: ReadonlySet<string> = new Set([
  'question',
  'label',
  'slug',
  'requested_slug',
  'requested',
  'subcategory',
  'eventTitle',
  'event_title',
  'outcomeNames',
  'outcome_names',
  'detail',
])

/** Longer than any slug that can be asked for. */
const LONGEST = 300
/** Controls, marks that turn or hide text, private letters, halves of letters, and what can carry text unseen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]+/gu

/** What a reader sees of a text, in one line and not too much of it. */
export function plainText(text: string): string {
  const seen = text.replaceAll(UNSEEN, ' ')
  if (seen.length <= LONGEST) return seen
  const letters = Array.from(seen)
  return letters.length <= LONGEST ? seen : `${letters.slice(0, LONGEST - 1).join('')}…`
}
