const BETWEEN_WORDS = /[\s\p{Z}\p{P}]+/u
const IN_WORD = /[\p{L}\p{N}]/u

/** The words of a search, in small letters, each once. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(BETWEEN_WORDS)
  return [...new Set(words)].filter((word) => word !== '')
}

/** Whether a text in small letters has every word, or a longer one that begins with it. No words are never found. */
export function hasWords(text: string, words: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => hasWord(text, word))
}

/** Without dividing the text, which would take long for a hundred thousand markets. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!IN_WORD.test(text.charAt(at - 1))) return true
  }
  return false
}
