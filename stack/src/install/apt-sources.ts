/**
 * Takes the machine's own package sources and points them at another suite of the same archive. Understands both forms:
 * stanzas (`*.sources`) and single lines (`*.list`). Sources of other archives and of side suites are left out.
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
