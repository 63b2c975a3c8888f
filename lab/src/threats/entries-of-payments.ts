import type { ThreatEntry } from './threat-entry.ts'

export const ENTRIES_OF_PAYMENTS: readonly ThreatEntry[] = []
