/** Why an answer has nothing, by the header `X-Empty-Reason`. Lists of markets have sentences of their own for some. */
const SENTENCES: Readonly<Record<string, string>> = {
  no_match: 'Nothing matches the filters.',
  outside_capture: 'Nothing was recorded in this time. An hour appears here some minutes after its end.',
  gap: 'Nothing was recorded in this time, because recording was interrupted. The list of gaps says why.',
  tier: 'Your tier does not include this data.',
  not_recorded_yet: 'Nothing of this market has been recorded yet.',
}

export function emptyText(reason: string | undefined): string {
  const known = reason !== undefined && Object.hasOwn(SENTENCES, reason) ? SENTENCES[reason] : undefined
  return known ?? `There is nothing to show${reason === undefined ? '' : ` (${reason})`}.`
}
