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

const PLENTY = 50_000_000
const HEALTHY_MARKETS = 3
const HEARS_WITHIN_S = 120

export const frames = experiment({
  name: 'frames',
  summary: 'Whether any frame or MCP message makes the service fail, end, or answer what it does not publish.',
  options: {
    frames: { description: 'frames that clients send', default: 200_000, atLeast: 1 },
    calls: { description: 'messages to /mcp', default: 20_000, atLeast: 1 },
    connections: { description: 'connections at the same time, for each of the two', default: 8, atLeast: 1 },
    markets: { description: 'markets of the simulated world, recorded meanwhile', default: 40, atLeast: 20 },
    busy: { description: 'how often the answer may be that it is too busy', default: 0, atLeast: 0 },
    minutes: { description: 'after which it ends, however much was sent', default: 40, atLeast: 0.1 },
    seed: { description: 'what frames and world are made from', default: 'bookreel' },
  },
  async run({ frames: frameCount, calls, connections, markets, busy, minutes, seed }, progress) {
    const world = ['--markets', String(markets), '--seed', seed]
    await using service = await ApiService.start({ world, rows: 20 }, progress)
    const { port } = service
    const pid = service.processes[0]?.pid ?? 0
    progress('opening accounts')
    // Those that came back hold a place until the old one is given up, so there are more than are needed.
    const keys = (await service.openAccounts(connections * 4, 'enterprise', PLENTY)).map(({ key }) => key)
    const live = await service.liveMarkets(keys[0] ?? '')
    const material = { ids: live.map(({ conditionId }) => conditionId), slugs: live.map(({ slug }) => slug) }
    const url = streamUrl(port)
    const { key: healthyKey } = await service.openAccount('enterprise', 0)
    const healthy = new StreamFollower({
      url,
      key: healthyKey,
      markets: material.ids.slice(0, HEALTHY_MARKETS),
      silentMs: HEARS_WITHIN_S * 1_000,
    })
    const running = healthy.run()
    await untilFrames(healthy, 1)

    const findings = new Findings()
    const untilMs = performance.now() + minutes * 60_000
    let [sentFrames, sentCalls] = [0, 0]
    const tell = (): void =>
      progress(
        `${sentFrames} of ${frameCount} frames, ${sentCalls} of ${calls} calls, ${findings.breaches} unpublished`,
      )
    const shared = { keys, connections, seed, untilMs }
    const fromMs = performance.now()
    const onFrames = (sent: number): void => {
      sentFrames = sent
      tell()
    }
    const onCalls = (sent: number): void => {
      sentCalls = sent
      tell()
    }
    await Promise.all([
      abuseStream({ ...shared, url, frames: frameCount, material, onProgress: onFrames }, findings),
      abuseMcp({ ...shared, port, calls, ids: material.ids, onProgress: onCalls }, findings),
    ])
    const seconds = (performance.now() - fromMs) / 1_000
    const heardBefore = healthy.frames
    const goesOn = await untilFrames(healthy, heardBefore + 1)
    healthy.stop()
    await running
    const alive = await service.client.ask({ port, path: '/health/live' }).catch(() => undefined)
    const isSame = alive?.status === 200 && !Number.isNaN(memoryMbOf(pid))
    return {
      bounds: [
        bound('frames sent', sentFrames, '=', frameCount),
        bound('calls sent', sentCalls, '=', calls),
        bound('errors of ours, and answers of 500 and above but 503', findings.serverErrors, '<=', 0),
        bound('answers of 503, too busy', findings.tooBusy, '<=', busy),
        bound('answers that are not as published', findings.breaches, '<=', 0),
        bound('left without an answer', findings.unanswered, '<=', 0),
        bound('the same process answers afterwards', isSame ? 1 : 0, '=', 1),
        bound('healthy connection: goes on to the end', goesOn ? 1 : 0, '=', 1),
        bound('healthy connection: times it had to come back', healthy.connections - 1, '<=', 0),
        bound('healthy connection: slots skipped or twice', healthy.silent.length + healthy.twice, '<=', 0),
      ],
      series: {
        perSecond: [Math.round((sentFrames + sentCalls) / seconds)],
        healthyFrames: [healthy.frames],
        answers: [findings.distribution()],
        failed: findings.sorts(),
        failures: findings.failures,
      },
      notes: findings.lines(),
    }
  },
})

async function untilFrames(follower: StreamFollower, count: number): Promise<boolean> {
  for (let tenths = 0; tenths < HEARS_WITHIN_S * 10; tenths++) {
    if (follower.frames >= count) return true
    await sleep(100)
  }
  return false
}
