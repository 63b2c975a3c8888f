import type { GapEntry } from '@bookreel/sdk'

/** The causes that the SDK lists by name; the list is open. */
type KnownGapCause = Named<GapEntry['cause']>
type Named<Cause> = Cause extends string ? (string extends Cause ? never : Cause) : never

export const CAUSE_GROUPS = ['venue', 'proof', 'Bookreel', 'not available yet', 'other'] as const
type CauseGroup = (typeof CAUSE_GROUPS)[number]

interface CauseText {
  readonly group: CauseGroup
  /** A few words. */
  readonly name: string
  readonly sentence: string
}

/** The compiler requires an entry for every cause that the SDK names. */
const TEXTS: Readonly<Record<KnownGapCause, CauseText>> = {
  venue_silent: {
    group: 'venue',
    name: 'venue silent',
    sentence: 'The venue sent nothing about this market, although others were sent.',
  },
  disconnected: {
    group: 'venue',
    name: 'disconnected',
    sentence: 'The connection to the venue was lost. The book was loaded again before recording went on.',
  },
  undecodable: {
    group: 'venue',
    name: 'undecodable',
    sentence: 'The venue sent something that could not be read, so nothing was guessed.',
  },
  hash_mismatch: {
    group: 'proof',
    name: 'hash mismatch',
    sentence: 'The hash of our book was not the one that the venue published: a change was never received.',
  },
  sequence_gap: {
    group: 'proof',
    name: 'sequence gap',
    sentence: 'A number was missing in the changes of the venue: a change was never received.',
  },
  impossible_book: {
    group: 'proof',
    name: 'impossible book',
    sentence: 'The book could not be right, for example because its best bid was above its best ask.',
  },
  resync: {
    group: 'proof',
    name: 'loaded again',
    sentence: 'The book was loaded again from the venue, and nothing was stored until it was proved.',
  },
  late_slot: {
    group: 'Bookreel',
    name: 'late slot',
    sentence: 'The recorder was too late for this slot, so no book was stored for it.',
  },
  capturer_down: {
    group: 'Bookreel',
    name: 'recorder down',
    sentence: 'The recorder was not running, and no other one had taken over yet.',
  },
  capturer_overloaded: {
    group: 'Bookreel',
    name: 'recorder overloaded',
    sentence: 'The recorder had more work than time, and stopped recording the least important markets.',
  },
  bus_unavailable: {
    group: 'Bookreel',
    name: 'message bus unavailable',
    sentence: 'The message bus did not accept the recorded books, so they could not be stored.',
  },
  clock_step: {
    group: 'Bookreel',
    name: 'clock step',
    sentence: 'The clock of the recorder was corrected, so the time of these slots is not certain.',
  },
  not_listed_yet: {
    group: 'not available yet',
    name: 'not listed yet',
    sentence: 'The market was found some time after the venue opened it.',
  },
}

export const KNOWN_GAP_CAUSES = Object.keys(TEXTS) as readonly KnownGapCause[]

/** An unknown cause is of a newer service, and is shown by its code. */
export function causeText(cause: string): CauseText {
  const known = Object.hasOwn(TEXTS, cause) ? TEXTS[cause as KnownGapCause] : undefined
  if (known !== undefined) return known
  return {
    group: 'other',
    name: cause.replaceAll('_', ' '),
    sentence: `These slots have no trusted book. The service gives the cause ${cause}, which this page does not know.`,
  }
}
