/**
 * Rewrites the package sources of this machine to another suite of the same archive. Supports both formats: stanzas
 * (`*.sources`) and single lines (`*.list`). Skips other archives, and suites such as `-updates` and `-security`.
 */
export function withSuite(sources: string, ownSuite: string, wantedSuite: string): string {
  const stanzas = sources.split(/\n\s*\n/).flatMap((stanza) => {
    const suites =
      stanza
        .match(/^Suites:(.*)$/im)?.[1]
        ?.trim()
        .split(/\s+/) ?? []
    return suites.includes(ownSuite) ? [stanza.replace(/^Suites:.*$/im, `Suites: ${wantedSuite}`).trim()] : []
  })
  return stanzas.map((stanza) => `${stanza}\n\n`).join('')
}

export function linesWithSuite(sources: string, ownSuite: string, wantedSuite: string): string {
  const line = new RegExp(`^(deb\\s+(?:\\[[^\\]]*\\]\\s+)?\\S+\\s+)${ownSuite}(\\s.*)$`)
  return sources
    .split('\n')
    .flatMap((text) => (line.test(text) ? [`${text.replace(line, `$1${wantedSuite}$2`)}\n`] : []))
    .join('')
}
