import type { ThreatEntry } from './threat-entry.ts'

export const ENTRIES_OF_ANONYMOUS: readonly ThreatEntry[] = []
