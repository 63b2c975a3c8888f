const LETTERS = new Intl.Segmenter()

/** Names and questions are the venue's: nothing in them may steer a terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/** As a reader sees them: what is put together of several characters is one. */
export function lettersOf(text: string): string[] {
  return Array.from(LETTERS.segment(text), ({ segment }) => segment)
}

export function shorten(text: string, width: number): string {
  const letters = lettersOf(text)
  if (letters.length <= width) return text
  return width <= 1 ? '…'.slice(0, Math.max(0, width)) : `${letters.slice(0, width - 1).join('')}…`
}

export function shortId(id: string): string {
  return id.length <= 16 ? plain(id) : `${plain(id.slice(0, 8))}…${plain(id.slice(-4))}`
}
