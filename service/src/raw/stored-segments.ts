import type { ObjectStore } from '../objects/object-store.ts'
import { readSegmentKey, type SegmentName } from './segment-name.ts'

/** Where segments are: in the folder of a recorder, or below a prefix of object storage. */
export interface SegmentPlace {
  readonly name: 'folder' | 'object_storage'
  readonly store: ObjectStore
  readonly prefix: string
}

export interface StoredSegment extends SegmentName {
  /** Without the prefix of the place. */
  readonly key: string
  readonly bytes: number
  readonly changedAtMs: number
  readonly place: SegmentPlace
}

/** The prefix of segments in object storage, which holds other things too. */
export const RAW_PREFIX = 'raw/'

/** All segments of a place, oldest first. */
export async function segmentsIn(place: SegmentPlace): Promise<StoredSegment[]> {
  const found: StoredSegment[] = []
  for await (const { key: fullKey, bytes, changedAtMs } of place.store.list(place.prefix)) {
    const key = fullKey.slice(place.prefix.length)
    const name = readSegmentKey(key)
    if (name !== undefined) found.push({ ...name, key, bytes, changedAtMs, place })
  }
  return found
}
