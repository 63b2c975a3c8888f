import { z } from 'zod'
import { SNAPSHOT_FLAGS } from '../../domain/rows/snapshot.ts'

/** What is to be known about a book beside its numbers. */
export const BookFlag = z.enum(['verified', 'mirrored', 'one_sided', 'crossed', 'suspect']).meta({
  description:
    'verified: proved equal to the venue’s book by its hash. mirrored: both tokens mirror each other. one_sided: a side is empty. crossed: best bid and ask touch or cross. suspect: doubted after it was stored, see gaps',
})
type BookFlagName = z.infer<typeof BookFlag>

export function flagNames(flags: number, outcome: 0 | 1, isSuspect = false): BookFlagName[] {
  const names: BookFlagName[] = []
  if (flags & (outcome === 0 ? SNAPSHOT_FLAGS.verifiedUp : SNAPSHOT_FLAGS.verifiedDown)) names.push('verified')
  if (flags & SNAPSHOT_FLAGS.mirrored) names.push('mirrored')
  if (flags & SNAPSHOT_FLAGS.oneSided) names.push('one_sided')
  if (flags & SNAPSHOT_FLAGS.crossed) names.push('crossed')
  if (isSuspect) names.push('suspect')
  return names
}
