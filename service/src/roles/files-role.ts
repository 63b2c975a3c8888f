import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { jetstream } from '@nats-io/jetstream'
import { drainBus } from '../bus/connect.ts'
import { TaskLeases } from '../bus/task-leases.ts'
import { whileLeading } from '../bus/while-leading.ts'
import { wallClock } from '../domain/clock.ts'
import { dayText } from '../domain/day-file.ts'
import type { Manifest } from '../domain/manifest.ts'
import { openObjectStore } from '../objects/open-object-store.ts'
import { openDatabase } from '../stores/engines/postgres-database.ts'
import { fileDays } from '../stores/files/file-days.ts'
import { Files } from '../stores/files/files.ts'
import { Manifests } from '../stores/files/manifests.ts'
import { proofOf } from '../venue-registry.ts'
import { openBus, openClickHouseReader } from '../wiring/engines.ts'
import { openSigner } from '../wiring/open-signer.ts'
import { fileMetrics } from '../workers/file-metrics.ts'
import { type FilesMeter, runFiles } from '../workers/files.ts'
import { openScratchFolder } from '../workers/scratch-folder.ts'
import { sealManifests } from '../workers/seal-manifests.ts'
import type { Role, RoleContext } from './role.ts'

const CLICKHOUSE_ANSWERS_WITHIN_MS = 60_000

/** ClickHouse → object storage: the rows of finished days as files; one process at a time makes them. */
export const filesRole: Role = async ({ config, log, registry, nowMs = wallClock }, signal) => {
  const objects = await openObjectStore(config)
  if (objects === undefined) {
    log.info('files of days are not made: OBJECT_STORE_URL is not set')
    return untilAborted(signal)
  }
  const onTrouble = (error: unknown): void => log.warn({ err: error }, 'making files failed, will retry')
  const signer = openSigner(config.MANIFEST_KEY)
  if (signer === undefined) log.warn('files are not signed: MANIFEST_KEY is not set')
  const meter = meterOf({ log, registry })
  const connection = await openBus(config, 'files')
  const clickhouse = openClickHouseReader(config, CLICKHOUSE_ANSWERS_WITHIN_MS)
  const database = openDatabase({ url: config.DATABASE_URL, onTrouble })
  const parent = config.EXPORT_DIR ?? tmpdir()
  const folder = await openScratchFolder(parent, nowMs())
  try {
    const leases = await TaskLeases.open(jetstream(connection), `${hostname()}-${randomUUID()}`)
    const manifests = new Manifests(database)
    const onSealed = ({ number, hourMs, files, keyId }: Manifest): void =>
      log.info({ number, hour: new Date(hourMs).toISOString(), files, keyId }, 'manifest signed')
    const deps = {
      clickhouse,
      days: fileDays(clickhouse, { proofOf, nowMs }),
      files: new Files(database),
      recountedAtMs: new Map(),
      objects,
      folder,
      nowMs,
      meter,
      seal: signer && ((each: AbortSignal) => sealManifests({ manifests, signer, nowMs, onSealed }, each)),
    }
    log.info({ place: objects.place }, 'making files of finished days')
    await whileLeading({ leases, key: 'files', onTrouble }, (each) => runFiles(deps, each), signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
    objects.close()
    clickhouse.close()
    await database.destroy()
    await drainBus(connection)
  }
}

function meterOf({ log, registry }: Pick<RoleContext, 'log' | 'registry'>): FilesMeter {
  const { files, rows } = fileMetrics(registry)
  return {
    made({ subject, dayMs, revision, rows: count, bytes }) {
      files.inc({ outcome: 'made' })
      rows.inc(count)
      log.info({ subject, day: dayText(dayMs), revision, rows: count, bytes }, 'file made')
    },
    postponed(subject, dayMs, reason) {
      files.inc({ outcome: 'postponed' })
      log.info({ subject, day: dayText(dayMs), reason }, 'file postponed')
    },
    failed(error, subject) {
      files.inc({ outcome: 'failed' })
      log.warn({ err: error, subject }, 'making files failed, will retry')
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
