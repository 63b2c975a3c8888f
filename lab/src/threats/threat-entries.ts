import { ENTRIES_OF_ACCESS } from './entries-of-access.ts'
import { ENTRIES_OF_ACCOUNTS } from './entries-of-accounts.ts'
import { ENTRIES_OF_ANONYMOUS } from './entries-of-anonymous.ts'
import { ENTRIES_OF_CAPTURE } from './entries-of-capture.ts'
import { ENTRIES_OF_EXPIRY } from './entries-of-expiry.ts'
import { ENTRIES_OF_FILES } from './entries-of-files.ts'
import { ENTRIES_OF_KEYED } from './entries-of-keyed.ts'
import { ENTRIES_OF_OPERATORS } from './entries-of-operators.ts'
import { ENTRIES_OF_PAYMENTS } from './entries-of-payments.ts'
import { ENTRIES_OF_PRIVILEGES } from './entries-of-privileges.ts'
import { ENTRIES_OF_SERVING } from './entries-of-serving.ts'
import { ENTRIES_OF_STORAGE } from './entries-of-storage.ts'
import type { ThreatEntry } from './threat-entry.ts'

export const THREAT_ENTRIES: readonly ThreatEntry[] = [
  ...ENTRIES_OF_ACCESS,
  ...ENTRIES_OF_ACCOUNTS,
  ...ENTRIES_OF_ANONYMOUS,
  ...ENTRIES_OF_CAPTURE,
  ...ENTRIES_OF_EXPIRY,
  ...ENTRIES_OF_FILES,
  ...ENTRIES_OF_KEYED,
  ...ENTRIES_OF_OPERATORS,
  ...ENTRIES_OF_PAYMENTS,
  ...ENTRIES_OF_PRIVILEGES,
  ...ENTRIES_OF_SERVING,
  ...ENTRIES_OF_STORAGE,
]
