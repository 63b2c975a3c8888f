import type { SimulatedService } from '../simulated-service.ts'

/** Replays one minute of a market over a WebSocket, as fast as possible, and waits for its end. */
export async function replayMinute(
  { address }: SimulatedService,
  key: string,
  { market, fromMs }: { market: string; fromMs: number },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = new WebSocket(`${address.replace('http', 'ws')}/v1/stream`)
  socket.onopen = () => socket.send(JSON.stringify({ id: 0, op: 'auth', key }))
  socket.onerror = () => reject(new Error('The stream could not be opened.'))
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(String(data)) as { type: string; message?: string; rejected?: unknown[] }
    if (frame.type === 'welcome') {
      const range = { from: fromMs, to: fromMs + 60_000, speed: 'max' }
      socket.send(JSON.stringify({ id: 1, op: 'replay', selectors: [{ market }], ...range }))
    }
    if (frame.type === 'error' || (frame.rejected ?? []).length > 0) reject(new Error(`The replay failed: ${data}`))
    if (frame.type === 'replay_ended') resolve()
  }
  try {
    await promise
  } finally {
    socket.close()
  }
}
