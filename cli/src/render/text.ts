const SEGMENTER = new Intl.Segmenter()

/** Removes control characters: names and questions come from the venue and must not control the terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/** Splits text into visible characters (grapheme clusters). */
export function visibleCharacters(text: string): string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment)
}

export function shorten(text: string, width: number): string {
  const characters = visibleCharacters(text)
  if (characters.length <= width) return text
  return width <= 1 ? '…'.slice(0, Math.max(0, width)) : `${characters.slice(0, width - 1).join('')}…`
}

export function shortId(id: string): string {
  return id.length <= 16 ? plain(id) : `${plain(id.slice(0, 8))}…${plain(id.slice(-4))}`
}
