/** Records from a simulator on this machine into the stack whose variables are set: prepare, then all roles. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const base = process.argv[2] ?? '127.0.0.1:4800'
const main = fileURLToPath(new URL('../service/src/main.ts', import.meta.url))
const env = {
  ...process.env,
  POLYMARKET_GAMMA_URL: `http://${base}/gamma`,
  POLYMARKET_CLOB_URL: `http://${base}/clob`,
  POLYMARKET_SOCKET_URL: `ws://${base}/polymarket/ws/market`,
  HYPERLIQUID_INFO_URL: `http://${base}/hyperliquid/info`,
  HYPERLIQUID_SOCKET_URL: `ws://${base}/hyperliquid/ws`,
  BINANCE_SOCKET_URL: `ws://${base}/binance`,
  STREAM_MAX_BYTES: '1000000000',
}
for (const args of [['prepare'], ['run', 'all']]) {
  const { status } = spawnSync(process.execPath, [main, ...args], { env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
