/** The letters of the stored probes of one service: `o` ok, `g` degraded, `d` down, `-` no probe. */
export interface StoredHour {
  readonly service: string
  readonly hourMs: number
  readonly letters: string
}

export interface Recomputed {
  readonly uptime: number | null
  readonly probes: number
  readonly failed: number
  /** Times of the first failed probe of three in a row, while no incident is open. */
  readonly incidents: readonly number[]
}

const SLOT_MS = 10_000

/** Uptime and incidents of one service, written a second time from their definition; for probes without long breaks. */
export function recompute(hours: readonly StoredHour[], untilMs: number): Recomputed {
  const probes = hours
    .toSorted((one, other) => one.hourMs - other.hourMs)
    .flatMap(({ hourMs, letters }) =>
      letters.split('').map((letter, slot) => ({ atMs: hourMs + slot * SLOT_MS, letter })),
    )
    .filter(({ atMs, letter }) => letter !== '-' && atMs < untilMs)
  const failed = probes.filter(({ letter }) => letter === 'd').length
  const text = probes.map(({ letter }) => (letter === 'd' ? 'd' : 'u')).join('')
  const incidents = [...text.matchAll(/d{3}.*?(?=uuu|$)/g)].map(({ index }) => probes[index]?.atMs ?? Number.NaN)
  const share = (probes.length - failed) / probes.length
  const uptime = probes.length === 0 ? null : Math.floor(share * 100_000) / 1_000
  return { uptime, probes: probes.length, failed, incidents }
}
