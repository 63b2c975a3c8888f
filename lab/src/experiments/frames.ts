import { setTimeout as sleep } from 'node:timers/promises'
import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { abuseMcp } from '../frames/abuse-mcp.ts'
import { abuseStream } from '../frames/abuse-stream.ts'
import { Findings } from '../fuzz/findings.ts'
import { memoryMbOf } from '../process-memory.ts'
import { streamUrl } from '../stream/record-live.ts'
import { StreamFollower } from '../stream/stream-follower.ts'

const AMPLE_CREDITS = 50_000_000
const HEALTHY_MARKETS = 3
const RECEIVES_WITHIN_S = 120

export const frames = experiment({
  name: 'frames',
  summary:
    'Sends hostile frames and MCP messages and checks that the service neither fails nor violates its published schema.',
  options: {
    frames: { description: 'number of stream frames sent', default: 200_000, atLeast: 1 },
    calls: { description: 'number of messages sent to /mcp', default: 20_000, atLeast: 1 },
    connections: { description: 'concurrent connections, for streams and for MCP each', default: 8, atLeast: 1 },
    markets: { description: 'number of simulated markets recorded during the run', default: 40, atLeast: 20 },
    busy: { description: 'maximum number of 503 responses', default: 0, atLeast: 0 },
    reconnects: { description: 'maximum number of reconnects of the healthy connection', default: 0, atLeast: 0 },
    minutes: { description: 'maximum duration in minutes', default: 120, atLeast: 0.1 },
    seed: { description: 'seed of the frames and the simulated world', default: 'bookreel' },
  },
  async run({ frames: frameCount, calls, connections, markets, busy, reconnects, minutes, seed }, progress) {
    const world = ['--markets', String(markets), '--seed', seed]
    await using service = await ApiService.start({ world, rows: 20 }, progress)
    const { port } = service
    const pid = service.processes[0]?.pid ?? 0
    progress('opening accounts')
    // A reconnected client counts twice for the limit until the old connection is dropped, so open more accounts.
    const keys = (await service.openAccounts(connections * 4, 'enterprise', AMPLE_CREDITS)).map(({ key }) => key)
    const live = await service.liveMarkets(keys[0] ?? '')
    const material = { ids: live.map(({ conditionId }) => conditionId), slugs: live.map(({ slug }) => slug) }
    const url = streamUrl(port)
    const { key: healthyKey } = await service.openAccount('enterprise', 0)
    const healthy = new StreamFollower({
      url,
      key: healthyKey,
      markets: material.ids.slice(0, HEALTHY_MARKETS),
      silentMs: RECEIVES_WITHIN_S * 1_000,
    })
    const running = healthy.run()
    await untilFrames(healthy, 1)

    const findings = new Findings()
    const untilMs = performance.now() + minutes * 60_000
    let [sentFrames, sentCalls] = [0, 0]
    const report = (): void =>
      progress(
        `${sentFrames} of ${frameCount} frames, ${sentCalls} of ${calls} calls, ${findings.breaches} schema violations`,
      )
    const shared = { keys, connections, seed, untilMs }
    const fromMs = performance.now()
    const onFrames = (sent: number): void => {
      sentFrames = sent
      report()
    }
    const onCalls = (sent: number): void => {
      sentCalls = sent
      report()
    }
    await Promise.all([
      abuseStream({ ...shared, url, frames: frameCount, material, onProgress: onFrames }, findings),
      abuseMcp({ ...shared, port, calls, ids: material.ids, onProgress: onCalls }, findings),
    ])
    const seconds = (performance.now() - fromMs) / 1_000
    const framesBefore = healthy.frames
    const goesOn = await untilFrames(healthy, framesBefore + 1)
    healthy.stop()
    await running
    const isSame = (await service.client.isAnswered(port, '/health/live')) && !Number.isNaN(memoryMbOf(pid))
    return {
      bounds: [
        bound('frames sent', sentFrames, '=', frameCount),
        bound('calls sent', sentCalls, '=', calls),
        bound('internal errors and responses with status 500 or above, except 503', findings.serverErrors, '<=', 0),
        bound('responses with status 503 (too busy)', findings.tooBusy, '<=', busy),
        bound('responses that violate the published schema', findings.breaches, '<=', 0),
        bound('messages without a response', findings.unanswered, '<=', 0),
        bound('the same process still responds (1 = yes)', isSame ? 1 : 0, '=', 1),
        bound('healthy connection: still receives frames at the end (1 = yes)', goesOn ? 1 : 0, '=', 1),
        bound('healthy connection: reconnects', healthy.connections - 1, '<=', reconnects),
        bound('healthy connection: slots skipped or received twice', healthy.silent.length + healthy.twice, '<=', 0),
      ],
      series: {
        perSecond: [Math.round((sentFrames + sentCalls) / seconds)],
        healthyFrames: [healthy.frames],
        answers: [findings.distribution()],
        failed: findings.sorts(),
        failures: findings.failures,
      },
      notes: [
        `${Math.round((sentFrames + sentCalls) / seconds)} messages a second; memory of this program ${memoryMbOf(process.pid)} MB`,
        ...findings.lines(),
      ],
    }
  },
})

async function untilFrames(follower: StreamFollower, count: number): Promise<boolean> {
  for (let tenths = 0; tenths < RECEIVES_WITHIN_S * 10; tenths++) {
    if (follower.frames >= count) return true
    await sleep(100)
  }
  return false
}
