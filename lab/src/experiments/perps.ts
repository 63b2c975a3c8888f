import { setTimeout as sleep } from 'node:timers/promises'
import { ApiService } from '../api-service.ts'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { ListeningProcess } from '../listening-process.ts'
import { compareWithVenue, differencesBetween, type TapeDifferences } from '../perps/compare-tapes.ts'
import { listedTape } from '../perps/listed-tape.ts'
import { StreamedTape } from '../perps/streamed-tape.ts'
import { COINS, type Span } from '../perps/tape.ts'
import { toldTape } from '../perps/told-tape.ts'
import type { SimulatorProcess } from '../simulator-process.ts'
import { streamUrl } from '../stream/record-live.ts'

/** How long new sockets are refused after all were closed. */
const CLOSED_MS = 4_000
/** Frames and rows of the range arrive after its end. */
const AFTER_MS = 10_000
const BEFORE_MS = 5_000
const AMPLE_CREDITS = 1_000_000
const MOST_SHOWN = 5

interface Comparison extends TapeDifferences {
  readonly coin: string
  readonly gaps: number
  /** Against what is stored. */
  readonly live: readonly string[]
  readonly replay: readonly string[]
}

export const perps = experiment({
  name: 'perps',
  summary:
    'Checks that trades, funding, open interest and prices of perpetual futures equal what the venue told: listed, live and in a replay, over one lost connection.',
  options: {
    minutes: { description: 'recording time in minutes', default: 10, atLeast: 0.3 },
    seed: { description: 'seed of the simulated world', default: 'bookreel' },
  },
  async run({ minutes, seed }, progress) {
    await using service = await ApiService.start({ world: ['--markets', '20', '--seed', seed], rows: 10 }, progress)
    const { environment, recording, client } = service
    const { key } = await service.openAccount('enterprise', AMPLE_CREDITS)
    await using gateway = await ListeningProcess.start('gateway', environment, recording.folder)
    await gateway.untilOpen(client)
    const place = { url: streamUrl(gateway.port), key }
    const live = await StreamedTape.live(place)
    // The stream begins before the range, so that nothing of the range is missing in it.
    const fromMs = Math.ceil((Date.now() + BEFORE_MS) / 1_000) * 1_000
    const span = { fromMs, toMs: fromMs + Math.ceil(minutes * 60) * 1_000 }
    await listen(recording.simulator, span, progress)
    live.socket.terminate()
    progress('replaying')
    const around = { fromMs: span.fromMs - BEFORE_MS, toMs: span.toMs + AFTER_MS }
    const replayed = await StreamedTape.replayed(place, around)

    const found: Comparison[] = []
    for (const coin of COINS) {
      progress(`comparing ${coin}`)
      const listed = await listedTape(service, key, coin, span)
      const told = await toldTape(recording.simulator, coin, around)
      found.push({
        coin,
        ...compareWithVenue(told, listed, span),
        gaps: listed.gaps.length,
        live: differencesBetween(live.of(coin, span), listed),
        replay: differencesBetween(replayed.of(coin, span), listed),
      })
    }
    const sum = (count: (each: Comparison) => number): number => found.reduce((all, each) => all + count(each), 0)
    const [trades, contexts] = [sum((each) => each.trades), sum((each) => each.contexts)]
    return {
      bounds: [
        bound('trades compared', trades, '>=', COINS.length * minutes * 30),
        bound('contexts compared', contexts, '>=', COINS.length * minutes * 30),
        bound(
          'coins with a gap for the lost connection',
          sum(({ gaps }) => Math.min(1, gaps)),
          '=',
          COINS.length,
        ),
        bound(
          'stored rows that the venue did not tell',
          sum(({ wrong }) => wrong.length),
          '<=',
          0,
        ),
        bound(
          'rows of the venue that are not stored, outside of gaps',
          sum(({ missing }) => missing.length),
          '<=',
          0,
        ),
        bound(
          'differences between the live stream and what is stored',
          sum((each) => each.live.length),
          '<=',
          0,
        ),
        bound(
          'differences between the replay and what is stored',
          sum((each) => each.replay.length),
          '<=',
          0,
        ),
      ],
      series: { coins: found.map((each) => ({ ...each, wrong: each.wrong.length, missing: each.missing.length })) },
      notes: [
        `${trades} trades and ${contexts} contexts of ${COINS.length} coins; ${sum(({ missingInGaps }) => missingInGaps)} rows of the venue are missing in gaps`,
        ...found.flatMap(({ coin, wrong, missing, live: inLive, replay }) =>
          [...wrong, ...missing, ...inLive, ...replay].slice(0, MOST_SHOWN).map((line) => `${coin}: ${line}`),
        ),
      ],
    }
  },
})

/** Waits for the end of the range; meanwhile all sockets are closed and refused once. */
async function listen(simulator: SimulatorProcess, { fromMs, toMs }: Span, progress: Progress): Promise<void> {
  const until = async (atMs: number): Promise<void> => {
    while (Date.now() < atMs) {
      progress(`${Math.round((Date.now() - fromMs) / 1_000)} of ${(toMs - fromMs) / 1_000} s recorded`)
      await sleep(Math.min(1_000, Math.max(0, atMs - Date.now())))
    }
  }
  await until(fromMs + 0.4 * (toMs - fromMs))
  const refusal = await simulator.cause({ name: 'refuse-upgrade', target: { feed: 'hyperliquid' } })
  await simulator.cause({ name: 'disconnect', target: { feed: 'hyperliquid' } })
  await until(Date.now() + CLOSED_MS)
  await simulator.end(refusal)
  await until(toMs + AFTER_MS)
}
