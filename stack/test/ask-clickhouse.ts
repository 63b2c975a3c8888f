/** A second client process of ClickHouse: runs one-second queries until its stdin ends, then prints the version. */
import { createClient } from '@clickhouse/client'

const [url, username, password] = process.argv.slice(2)
const client = createClient({ url: url ?? '', username: username ?? '', password: password ?? '' })
let version = ''
process.stdin.resume()
do {
  const result = await client.query({ query: 'SELECT version() AS version, sleep(1)', format: 'JSONEachRow' })
  const [row] = await result.json<{ version: string }>()
  version = row?.version ?? ''
} while (!process.stdin.readableEnded)
process.stdout.write(version)
await client.close()
