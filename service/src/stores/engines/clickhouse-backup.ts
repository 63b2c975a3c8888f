import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client'

const IDENTIFIER = /^\w{1,80}$/

export interface ClickHouseBackupPlace {
  readonly database: string
  /** Folder on the disk of the server; a relative path starts in the server's backup folder. */
  readonly path: string
}

export interface StoredAmount {
  readonly tables: number
  readonly rows: number
}

/** Writes all tables of the database to a new folder on the disk of the server. Returns its size in bytes. */
export async function backupClickHouse(client: ClickHouseClient, place: ClickHouseBackupPlace): Promise<number> {
  return command(client, 'BACKUP', place, `TO ${fileOf(place)}`)
}

/** The database must have no tables yet. Returns the size in bytes. */
export async function restoreClickHouse(client: ClickHouseClient, place: ClickHouseBackupPlace): Promise<number> {
  return command(client, 'RESTORE', place, `FROM ${fileOf(place)}`)
}

export async function clickHouseAmount(client: ClickHouseClient, database: string): Promise<StoredAmount> {
  const answer = await client.query({
    query: `SELECT count() AS tables, sum(total_rows) AS rows FROM system.tables WHERE database = {database:String}`,
    query_params: { database },
    format: 'JSONEachRow',
  })
  const [found] = await answer.json<{ tables: string; rows: string | null }>()
  return { tables: Number(found?.tables ?? 0), rows: Number(found?.rows ?? 0) }
}

async function command(
  client: ClickHouseClient,
  verb: 'BACKUP' | 'RESTORE',
  place: ClickHouseBackupPlace,
  rest: string,
): Promise<number> {
  if (!IDENTIFIER.test(place.database)) throw new Error(`${place.database} is not a name of a ClickHouse database`)
  const id = crypto.randomUUID()
  try {
    await client.command({
      query: `${verb} DATABASE ${place.database} ${rest} SETTINGS id = '${id}'`,
      clickhouse_settings: { max_execution_time: 0 },
    })
  } catch (error) {
    throw new Error(sentenceOf(error, place))
  }
  const answer = await client.query({
    query: 'SELECT total_size FROM system.backups WHERE id = {id:String}',
    query_params: { id },
    format: 'JSONEachRow',
  })
  const [found] = await answer.json<{ total_size: string }>()
  return Number(found?.total_size ?? 0)
}

/** BACKUP has no query parameters, so the path is quoted here. */
function fileOf({ path }: ClickHouseBackupPlace): string {
  return `File('${path.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}')`
}

/** The server's message repeats its configuration and advises SQL; operators get what they can do here. */
function sentenceOf(error: unknown, { path, database }: ClickHouseBackupPlace): string {
  if (!(error instanceof ClickHouseError)) return `ClickHouse does not answer: ${String(error)}`
  const { type = '', message } = error
  if (/not allowed for backups/.test(message))
    return `ClickHouse may not use ${path}. Allow the folder with backups.allowed_path in the configuration of the server, or name a folder inside its backup folder, for example: --clickhouse-path ${path.split('/').at(-1) || 'monday'}.`
  if (type === 'BACKUP_ALREADY_EXISTS') return `ClickHouse already has a backup at ${path}. Choose another folder.`
  if (type === 'BACKUP_NOT_FOUND')
    return `ClickHouse finds no backup at ${path} on the disk of its server. Copy the backup there, or name its place with --clickhouse-path.`
  if (type === 'BACKUP_VERSION_NOT_SUPPORTED')
    return `This ClickHouse cannot read the backup at ${path}. Restore it with the ClickHouse version that wrote it, or a newer one.`
  if (type === 'UNKNOWN_DATABASE')
    return `The ClickHouse database ${database} does not exist. Create it: CREATE DATABASE ${database}.`
  if (/Permission denied/.test(message))
    return `The user of the ClickHouse server may not read or write ${path}. Change the rights of the folder, or name another one with --clickhouse-path.`
  return `ClickHouse failed (${type || 'unknown error'}): ${message.split(/\. (?=[A-Z])|: While |\n/)[0]}`
}
