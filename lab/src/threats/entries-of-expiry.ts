import type { ThreatEntry } from './threat-entry.ts'

export const ENTRIES_OF_EXPIRY: readonly ThreatEntry[] = []
