import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../config.ts'
import { HOUR_MS } from '../domain/finished-hour.ts'
import type { RawSink } from '../domain/raw-record.ts'
import { FolderStore } from '../objects/folder-store.ts'
import { openObjectStore } from '../objects/open-object-store.ts'
import { RawArchive } from '../raw/raw-archive.ts'
import { RawKeeper } from '../raw/raw-keeper.ts'
import { rawMetrics } from '../raw/raw-metrics.ts'
import { type MissingTime, RawReader } from '../raw/raw-reader.ts'
import { recorderName } from '../raw/segment-name.ts'
import { RAW_PREFIX, type SegmentPlace } from '../raw/stored-segments.ts'

type RawSettings = Pick<
  Config,
  | 'RAW_DIR'
  | 'RAW_KEEP_HOURS'
  | 'RAW_LOCAL_HOURS'
  | 'RAW_MAX_BYTES'
  | 'RAW_MIN_FREE_BYTES'
  | 'OBJECT_STORE_URL'
  | 'OBJECT_STORE_ENDPOINT'
  | 'OBJECT_STORE_REGION'
  | 'OBJECT_STORE_KEY_ID'
  | 'OBJECT_STORE_SECRET'
>

export interface OpenedRaw {
  readonly sink: RawSink
  /** Uploads and deletes segments until the signal. */
  readonly keep: (signal: AbortSignal) => Promise<void>
  /** Writes what is in memory; call it after the last append. */
  readonly close: () => Promise<void>
}

/** The raw archive of a recorder, or undefined when RAW_DIR is not set. */
export async function openRaw(
  config: RawSettings,
  owner: string,
  log: Logger,
  registry: Registry,
): Promise<OpenedRaw | undefined> {
  const { RAW_DIR: folder, RAW_KEEP_HOURS, RAW_LOCAL_HOURS = RAW_KEEP_HOURS, RAW_MAX_BYTES: maxBytes } = config
  if (folder === undefined) {
    const ignored = config.OBJECT_STORE_URL === undefined ? '' : ', so OBJECT_STORE_URL is not used for it'
    log.info(`raw archive off: RAW_DIR is not set${ignored}`)
    return undefined
  }
  const metrics = rawMetrics(registry)
  const remote = await remotePlace(config)
  const keeper = new RawKeeper({
    local: folderPlace(folder),
    remote,
    keepMs: RAW_KEEP_HOURS * HOUR_MS,
    keepLocalMs: RAW_LOCAL_HOURS * HOUR_MS,
    maxBytes,
    folder,
    log,
    metrics,
  })
  const archive = new RawArchive({
    folder,
    recorder: recorderName(owner),
    minFreeBytes: config.RAW_MIN_FREE_BYTES,
    log,
    metrics,
    onSealed: () => keeper.wake(),
  })
  return {
    sink: archive,
    keep: (signal) => keeper.run(signal),
    close: async () => {
      await archive.close()
      await keeper.sweep()
      remote?.store.close()
    },
  }
}

/** Reads one folder of segments, without any settings. */
export function openRawFolder(folder: string, onMissing: (missing: MissingTime) => void) {
  const place = folderPlace(folder)
  return { reader: new RawReader([place], onMissing), close: () => place.store.close() }
}

/** Reads RAW_DIR and object storage; at least one of them must be set. */
export async function openRawReader(
  config: RawSettings,
  onMissing: (missing: MissingTime) => void,
): Promise<{ reader: RawReader; close: () => void }> {
  const { RAW_DIR: folder } = config
  const remote = await remotePlace(config)
  const places = [...(folder === undefined ? [] : [folderPlace(folder)]), ...(remote === undefined ? [] : [remote])]
  if (places.length === 0) throw new Error('There is no raw archive: set RAW_DIR or OBJECT_STORE_URL.')
  return {
    reader: new RawReader(places, onMissing),
    close: () => {
      for (const { store } of places) store.close()
    },
  }
}

function folderPlace(folder: string): SegmentPlace {
  return { name: 'folder', store: new FolderStore(folder), prefix: '' }
}

async function remotePlace(config: RawSettings): Promise<SegmentPlace | undefined> {
  const store = await openObjectStore(config)
  return store === undefined ? undefined : { name: 'object_storage', store, prefix: RAW_PREFIX }
}
