/** Members that contain text of a venue or its users, which may try to instruct an agent. */
export const VENUE_TEXT: ReadonlySet<string> = new Set([
  'question',
  'label',
  'slug',
  'requested_slug',
  'requested',
  'subcategory',
  'eventTitle',
  'event_title',
  'event_slug',
  'outcomeNames',
  'outcome_names',
  'detail',
])

/** Longer than any valid slug. */
const MAX_LENGTH = 300
/** Characters that are invisible or change how text is displayed: controls, format marks, private use, surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]+/gu

/** The visible part of a text, in one line and of limited length. */
export function plainText(text: string): string {
  const visible = text.replaceAll(INVISIBLE, ' ')
  if (visible.length <= MAX_LENGTH) return visible
  const letters = Array.from(visible)
  return letters.length <= MAX_LENGTH ? visible : `${letters.slice(0, MAX_LENGTH - 1).join('')}…`
}
