import type { ThreatEntry } from './threat-entry.ts'

/** From the bus to the disk: I10 to I17. */
export const ENTRIES_OF_STORAGE: readonly ThreatEntry[] = [
  {
    id: 'I10',
    defence: 'A batch that is sent again has the same message id, so the bus stores it once.',
    removal: {
      file: 'service/src/bus/batch.ts',
      text: 'return `${shard}:${epoch}:${n}`',
      replacement: 'return `${shard}:${epoch}:${n}:${Math.random()}`',
    },
    test: {
      file: 'service/test/bus/publish.nightly.test.ts',
      name: 'a message that is sent again after a lost acknowledgement is recognised by its id',
    },
  },
  {
    id: 'I10',
    defence: 'A batch with damaged bytes is refused by its checksum.',
    removal: {
      file: 'service/src/bus/batch.ts',
      text: 'if (crc32(bytes.subarray(CHECKED_FROM)) !== bytes.readUInt32LE(CRC_AT))',
      replacement: 'if (bytes.length === 0)',
    },
    test: {
      file: 'service/test/bus/batch.test.ts',
      name: 'with any byte changed is refused with one kind of error',
    },
  },
  {
    id: 'I11',
    defence: 'A batch without an answer is given up before the bus forgets its id, and its slots become gaps.',
    removal: {
      file: 'service/src/bus/publish.ts',
      text: 'nowMs - waiting.sentAtMs > this.#limits.retryMs',
      replacement: 'nowMs < 0',
    },
    test: {
      file: 'service/test/bus/publish.nightly.test.ts',
      name: 'a batch that was sent without an answer is given up after its time, as unconfirmed',
    },
  },
  {
    id: 'I12',
    defence: 'A message is acknowledged only after its rows are in ClickHouse.',
    removal: {
      file: 'service/src/workers/archive.ts',
      text: 'const { stored, newer, dead } = await store(insertDeps, deliveries, unread, newerSchemas)',
      replacement:
        'await Promise.all(deliveries.map((each) => each.acknowledge()))\n      const { stored, newer, dead } = await store(insertDeps, deliveries, unread, newerSchemas)',
    },
    test: {
      file: 'service/test/archive/outage.nightly.test.ts',
      name: 'while ClickHouse is unavailable nothing is acknowledged or redelivered, and afterwards no row is missing',
    },
  },
  {
    id: 'I12',
    defence: 'A batch has rows of one day only, because an insert into two partitions is not atomic.',
    removal: {
      file: 'service/src/bus/batch-writer.ts',
      text: 'const open = this.#open.get(day)',
      replacement: 'const [open] = this.#open.values()',
    },
    test: { file: 'service/test/bus/batch.test.ts', name: 'never span two days' },
  },
  {
    id: 'I13',
    defence: 'An archive that stops stores what it has received and leaves the rest on the bus for the next one.',
    removal: {
      file: 'service/src/workers/archive.ts',
      text: 'for (let isLast = false; !isLast; ) {',
      replacement: 'for (let isLast = false; !isLast && !signal.aborted; ) {',
    },
    test: {
      file: 'service/test/archive/archive.test.ts',
      name: 'an archive that is stopped stores what it has received and leaves the rest on the bus',
    },
  },
  {
    id: 'I14',
    defence: 'A full stream refuses new batches and deletes nothing; refused rows become gaps.',
    removal: {
      file: 'service/src/bus/streams.ts',
      text: 'num_replicas: settings.replicas, discard: DiscardPolicy.New }',
      replacement: 'num_replicas: settings.replicas, discard: DiscardPolicy.Old }',
    },
    test: {
      file: 'service/test/bus/publish.nightly.test.ts',
      name: 'a full stream refuses batches: the publisher reports it, gives them up, and continues when there is room',
    },
  },
  {
    id: 'I15',
    defence: 'Missing slots that no gap record explains are counted apart.',
    removal: {
      file: 'service/src/domain/slot-accounting.ts',
      text: 'unaccountedSlots: missingSlots - coveredBy(missing)',
      replacement: 'unaccountedSlots: 0',
    },
    test: { file: 'service/src/domain/slot-accounting.test.ts', name: 'counts agree with asking each slot' },
  },
  {
    id: 'I15',
    defence: 'Rows that a slow store does not get are counted.',
    removal: {
      file: 'service/src/workers/pending-rows.ts',
      text: 'return superseded + this.#dropOldestKey()',
      replacement: 'return this.#dropOldestKey()',
    },
    test: {
      file: 'service/test/workers/pending-rows.test.ts',
      name: 'every row of rising slots is either held or counted as dropped',
    },
  },
  {
    id: 'I16',
    defence: 'The bus syncs a message to disk before it acknowledges it.',
    removal: { file: 'stack/src/engines/nats.ts', text: ', sync_interval: always }', replacement: ' }' },
    test: {
      file: 'stack/test/durable-bus.nightly.test.ts',
      name: 'NATS syncs every message to disk before it acknowledges it',
    },
  },
  {
    id: 'I16',
    defence: 'ClickHouse syncs rows to disk before it acknowledges an insert.',
    removal: {
      file: 'service/src/stores/engines/clickhouse-form.ts',
      text: 'fsync_after_insert = 1, ',
      replacement: '',
    },
    test: {
      file: 'service/test/clickhouse/migrations.test.ts',
      name: 'rows are on disk before an insert is acknowledged',
    },
  },
  {
    id: 'I17',
    defence: 'A backup holds all tables of both databases, and the restored service passes its audit.',
    removal: {
      file: 'service/src/stores/engines/clickhouse-backup.ts',
      text: "return command(client, 'RESTORE', place, `FROM ${fileOf(place)}`)",
      replacement: 'return clickHouseAmount(client, `${place.database} of ${fileOf(place)}`).then(({ rows }) => rows)',
    },
    test: {
      file: 'service/test/commands/backup.test.ts',
      name: 'a backup is restored into another stack by the name of its folder, and the audit is clean',
    },
  },
  {
    id: 'I17',
    defence: 'The path of a backup is quoted, and only a plain name is taken as a database.',
    removal: {
      file: 'service/src/stores/engines/clickhouse-backup.ts',
      text: 'if (!IDENTIFIER.test(place.database)) throw',
      replacement: "if (place.database === '') throw",
    },
    test: {
      file: 'service/src/stores/engines/clickhouse-backup.test.ts',
      name: 'a path is quoted, and a database that is no name is refused',
    },
  },
]
