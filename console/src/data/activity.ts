import { listenToTabs, tellTabs } from './tab-channel.ts'

/** When a tab of this browser last sent a request that the service counted as use of the session. */
let lastMs = 0

listenToTabs((message) => {
  if (message.kind === 'activity') lastMs = Math.max(lastMs, message.atMs)
})

export function noteActivity(nowMs: number): void {
  lastMs = nowMs
  tellTabs({ kind: 'activity', atMs: nowMs })
}

export function lastActivityMs(): number {
  return lastMs
}
