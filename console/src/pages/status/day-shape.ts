interface MeasuredDay {
  readonly probes: number
  readonly failed_probes: number
  readonly missing_probes: number
}

interface DayShape {
  /** Part of the bar that is filled: probes that were made, of those that should have been. */
  readonly known: number
  /** Part of the bar that shows failed probes; a part of `known`. */
  readonly failed: number
}

/** One failed probe of a day is still seen. */
const LEAST_SEEN = 0.25

export function dayShape({ probes, failed_probes: failures, missing_probes: missing }: MeasuredDay): DayShape {
  if (probes === 0) return { known: 0, failed: 0 }
  const known = Math.max(LEAST_SEEN, probes / (probes + missing))
  if (failures === 0) return { known, failed: 0 }
  return { known, failed: known * Math.max(LEAST_SEEN, failures / probes) }
}
