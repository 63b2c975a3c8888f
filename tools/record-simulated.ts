/** Records a local simulator into the stack of the environment variables: runs `prepare`, then all roles. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { addressesAt } from '@bookreel/simulator/simulator'
import { venueSettings } from '@bookreel/testbed/venue-settings'
import { answerHelp, refuseArguments } from './tool-help.ts'

answerHelp(`npm run record:simulated -- [address]

Records a running simulator (npm run sim) into the databases of the environment: creates streams and tables, then runs
all roles until Ctrl-C.

  [address]            host and port of the simulator (default: 127.0.0.1:4800)
  --help               show this help
  --version            print the version

Example:
  set -a; . .stack/stack.env; set +a
  npm run record:simulated -- 127.0.0.1:4800
`)

const [address = '127.0.0.1:4800'] = process.argv.slice(2)
if (!/^[^\s:-][^\s:]*:\d+$/.test(address)) refuseArguments(`The address must be host:port, got ${address}`)
const addresses = addressesAt(address)
const main = fileURLToPath(new URL('../service/src/main.ts', import.meta.url))
const env = { ...process.env, ...venueSettings(addresses), STREAM_MAX_BYTES: '1000000000' }
for (const args of [['prepare'], ['run', 'all']]) {
  const { status } = spawnSync(process.execPath, [main, ...args], { env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
