const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

export function grouped(value: number): string {
  return GROUPED.format(value)
}

/** 1 credit, 2 credits */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a size with the given number of decimals, at most two. */
export function sizeText(size: number, decimals: number): string {
  const digits = Math.min(2, decimals)
  return size.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** The number of decimals that the most precise value needs. */
export function decimalsOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, decimalsIn(value)), 0)
}

function decimalsIn(value: number): number {
  // Sums of decimals have rounding errors in their last digits.
  const [, digits = ''] = String(Number(value.toFixed(8))).split('.')
  return digits.length
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(2)} GB`
}

/** 0:42, 12:05, 3:07:00, 2d 3:07:00 */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  const two = (value: number): string => String(value).padStart(2, '0')
  const clock =
    hours > 0 || days > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
  return days > 0 ? `${days}d ${clock}` : clock
}

/** Age in ms, in seconds, or as a duration. */
export function ageText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return durationText(ms)
}

/** 2026-11-15 09:35:12.250 in UTC */
export function timeText(at: number | string): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', '')
}
