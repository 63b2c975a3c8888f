export type Encoding = 'br' | 'gzip' | 'identity'

/** The best encoding that a client accepts. */
export function acceptedEncoding(header: string | readonly string[] | undefined): Encoding {
  const accepted = String(header ?? '')
    .split(',')
    .map((each) => each.replaceAll(/\s/g, '').toLowerCase())
    .filter((each) => !/;q=0(\.0*)?$/.test(each))
    .map((each) => each.split(';')[0])
  if (accepted.includes('br')) return 'br'
  return accepted.includes('gzip') || accepted.includes('*') ? 'gzip' : 'identity'
}
