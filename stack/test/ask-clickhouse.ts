/** A second program that uses the same ClickHouse: prints its version after a query that takes a second. */
import { createClient } from '@clickhouse/client'

const [url, username, password] = process.argv.slice(2)
const client = createClient({ url: url ?? '', username: username ?? '', password: password ?? '' })
const result = await client.query({ query: 'SELECT version() AS version, sleep(1)', format: 'JSONEachRow' })
const [row] = await result.json<{ version: string }>()
process.stdout.write(row?.version ?? '')
await client.close()
