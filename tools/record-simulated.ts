/** Records a local simulator into the stack of the environment variables: runs `prepare`, then all roles. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { addressesAt } from '@bookreel/simulator/simulator'
import { venueSettings } from '@bookreel/testbed/venue-settings'

const addresses = addressesAt(process.argv[2] ?? '127.0.0.1:4800')
const main = fileURLToPath(new URL('../service/src/main.ts', import.meta.url))
const env = { ...process.env, ...venueSettings(addresses), STREAM_MAX_BYTES: '1000000000' }
for (const args of [['prepare'], ['run', 'all']]) {
  const { status } = spawnSync(process.execPath, [main, ...args], { env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
