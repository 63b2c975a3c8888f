import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bound } from '../bound.ts'
import { ConsoleBench } from '../console/console-bench.ts'
import { measureFullHour } from '../console/full-hour.ts'
import { growthAtEnd } from '../console/heap-growth.ts'
import { isWhollyDrawn, measureDrawing } from '../console/heat-map-drawing.ts'
import { type InterruptedStream, interruptStream } from '../console/interrupted-stream.ts'
import { LOOK_COUNT, layoutShifts } from '../console/layout-shifts.ts'
import { heapOfLivePage, smoothLive } from '../console/live-page.ts'
import { playWhole, requestsOfScrubbing, smoothReplay } from '../console/played-hour.ts'
import { type PromisedTimes, promisedTimes } from '../console/promised-times.ts'
import type { Smoothness } from '../console/watched-page.ts'
import { experiment, type Progress } from '../experiment.ts'
import { hundredths } from '../hundredths.ts'
import { percentile } from '../percentile.ts'

const HAS_ROWS = `document.querySelector('main tbody tr') !== null`
const SETTLED_MS = 3_000
/** At five times the speed of a market that is sampled four times a second. */
const SLOTS_PER_SECOND = 20

export const consolePages = experiment({
  name: 'console',
  summary:
    'Opens the web console in a real browser and measures loading, layout, drawing, live streams, replays, interruptions and memory.',
  options: {
    markets: { description: 'number of simulated markets recorded during the run', default: 200, atLeast: 20 },
    slots: { description: 'slots of the past hour', default: 14_400, atLeast: 400 },
    loads: { description: 'measurements of each time that somebody waits for a page', default: 7, atLeast: 1 },
    seconds: { description: 'seconds of the stream and of the replay at five times speed', default: 30, atLeast: 2 },
    looks: {
      description: 'roles and screens for which the layout of every page is measured',
      default: LOOK_COUNT,
      atLeast: 1,
    },
    interruption: { description: 'seconds for which the stream is interrupted; 0 leaves it out', default: 20 },
    minutes: { description: 'minutes for which the heap of a live page is watched', default: 30, atLeast: 0.1 },
    firstRowsMs: { description: 'maximum time to the first rows of the catalogue, in ms', default: 800 },
    firstMapMs: { description: 'maximum time to the first heat map, in ms', default: 1_200 },
    sampleMs: { description: 'maximum time from the first byte to the heat map of the sample, in ms', default: 2_000 },
    provedMs: { description: 'maximum time to a proved and moving book, in ms', default: 3_000 },
    takeoverMs: { description: 'maximum time until a second tab has taken over the stream, in ms', default: 1_000 },
    endedMs: { description: 'maximum time until the end of a session reaches its page, in ms', default: 1_000 },
    shift: { description: 'maximum layout shift of a page', default: 0.02 },
    hourMs: { description: 'maximum time to decode, colour and draw an hour, in ms', default: 100 },
    contrastMs: { description: 'maximum time to change the contrast, in ms', default: 16 },
    columnMs: { description: 'maximum time to draw a new column, in ms', default: 1 },
    played: {
      description: 'minimum share of the slots that a replay at five times speed has to play in its time, in %',
      default: 90,
    },
    slowFrames: { description: 'maximum share of animation frames longer than 17 ms, in %', default: 2 },
    longTasks: { description: 'maximum number of tasks longer than 50 ms', default: 0 },
    busy: { description: 'maximum share of time in which the main thread works, in %', default: 25 },
    heapMb: { description: 'maximum heap of a live page, in MB', default: 120 },
    requests: { description: 'maximum number of requests during ten seconds of scrubbing', default: 35 },
    growthMb: { description: 'maximum growth of the heap in the last third of the time, in MB', default: 5 },
  },
  async run(settings, progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bookreel-lab-console-'))
    try {
      const { markets, slots } = settings
      await using bench = await ConsoleBench.start({ markets, slots, folder }, progress)
      const history = `/app/m/${bench.past.slug}?tab=history&from=${bench.past.fromMs}&to=${bench.past.toMs}`
      const rows = await loads(bench, '/app/markets', HAS_ROWS, settings.loads, progress)
      const isWhole = isWhollyDrawn(bench.past)
      const maps = await loads(bench, history, isWhole, settings.loads, progress)
      const promised = await promisedTimes(bench, settings.loads, progress)
      const shifts = await layoutShifts(bench, settings.looks, progress)
      const page = await bench.newPage()
      await page.readyAfter(`${bench.origin}${history}`, isWhole)
      await sleep(SETTLED_MS)
      progress('drawing')
      const drawing = await measureDrawing(page, bench.past)
      const full = await measureFullHour(page, bench.past)
      await page.close()
      const live = await smoothLive(bench, settings.seconds, progress)
      const replay = await smoothReplay(bench, `${history}&speed=5`, settings.seconds, progress)
      const whole = await playWhole(bench, `${history}&speed=max`, progress)
      const requests = await requestsOfScrubbing(bench, history, progress)
      const interrupted =
        settings.interruption === 0 ? undefined : await interruptStream(bench, settings.interruption, progress)
      const heap = await heapOfLivePage(bench, settings.minutes, progress)
      return {
        bounds: [
          bound('median time to the first rows of the catalogue', median(rows), '<=', settings.firstRowsMs, 'ms'),
          bound('median time to the first heat map', median(maps), '<=', settings.firstMapMs, 'ms'),
          ...promisedBounds(promised, settings),
          bound('largest layout shift', roundedUp(Math.max(...shifts.map(({ shift }) => shift))), '<=', settings.shift),
          bound(
            'an hour of free tiles decoded, coloured and drawn',
            hundredths(drawing.hourMs),
            '<=',
            settings.hourMs,
            'ms',
          ),
          bound('an hour of every slot decoded, coloured and drawn', hundredths(full.ms), '<=', settings.hourMs, 'ms'),
          bound('change of contrast', hundredths(drawing.contrastMs), '<=', settings.contrastMs, 'ms'),
          bound('new column', hundredths(drawing.columnMs), '<=', settings.columnMs, 'ms'),
          bound(
            'replay at five times speed: slots played',
            replay.slots,
            '>=',
            (settings.played * settings.seconds * SLOTS_PER_SECOND) / 100,
          ),
          ...boundsOf('replay at five times speed', replay, settings),
          bound('replay at max: tasks longer than 50 ms', whole.longTasks, '<=', settings.longTasks),
          bound('replay at max: reached the end of the range', Number(whole.isAtEnd), '=', 1),
          bound('replay at max: has every slot', Number(whole.isComplete), '=', 1),
          bound('requests during ten seconds of scrubbing', requests, '<=', settings.requests),
          ...interruptionBounds(interrupted),
          bound('heap of a live page', Math.ceil(Math.max(...heap)), '<=', settings.heapMb, 'MB'),
          bound('growth of the heap at the end', hundredths(growthAtEnd(heap)), '<=', settings.growthMb, 'MB'),
        ],
        series: {
          rows: rows.map(hundredths),
          maps: maps.map(hundredths),
          sample: promised.sample.map(hundredths),
          proved: promised.proved.map(hundredths),
          takeover: promised.takeover,
          ended: promised.ended,
          shifts,
          heapMb: heap.map(hundredths),
          live: [live],
          replay: [replay],
          whole: [whole],
          interrupted: interrupted === undefined ? [] : [interrupted],
        },
        notes: [
          `drawn hour: free tiles of ${drawing.columns} columns; every slot, ${full.columns} columns of ${full.rows} prices`,
          ...shifts
            .filter(({ shift }) => shift > settings.shift)
            .map(({ page: path, look, shift }) => `layout shift ${roundedUp(shift)} of ${path}, ${look}`),
          `live page: ${smoothnessText(live)}, ${live.longTasks} long tasks`,
          `replay at five times speed: ${smoothnessText(replay)}`,
          `replay at max: ${smoothnessText(whole)}; the hour took ${Math.round(whole.seconds)} s`,
        ],
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
})

/** To four digits, so that no value above a bound is rounded to it. */
function roundedUp(value: number): number {
  return Math.ceil(value * 10_000) / 10_000
}

type Promises = Readonly<Record<'sampleMs' | 'provedMs' | 'takeoverMs' | 'endedMs', number>>

function promisedBounds({ sample, proved, takeover, ended }: PromisedTimes, limits: Promises) {
  return [
    bound('median time from the first byte to the sample', median(sample), '<=', limits.sampleMs, 'ms'),
    bound('median time to a proved and moving book', median(proved), '<=', limits.provedMs, 'ms'),
    bound('median time until a second tab has taken over', median(takeover), '<=', limits.takeoverMs, 'ms'),
    bound('median time until the end of a session reaches its page', median(ended), '<=', limits.endedMs, 'ms'),
  ]
}

type Limits = Readonly<Record<'slowFrames' | 'longTasks' | 'busy', number>>

function boundsOf(what: string, measured: Smoothness, limits: Limits) {
  return [
    bound(`${what}: frames longer than 17 ms`, hundredths(measured.slowFrames), '<=', limits.slowFrames, '%'),
    bound(`${what}: tasks longer than 50 ms`, measured.longTasks, '<=', limits.longTasks),
    bound(`${what}: main thread busy`, hundredths(measured.busy), '<=', limits.busy, '%'),
  ]
}

function interruptionBounds(interrupted: InterruptedStream | undefined) {
  if (interrupted === undefined) return []
  const { slots, missing, unexplained } = interrupted
  return [
    bound(`interrupted stream: slots of ${slots} without a row or a gap record`, unexplained, '=', 0),
    bound('interrupted stream: slots of gap records', missing, '>=', 1),
  ]
}

function smoothnessText({ slowFrames, busy, scripts }: Smoothness): string {
  return `${hundredths(slowFrames)} % slow frames, main thread ${hundredths(busy)} % busy, ${hundredths(scripts)} % with scripts`
}

function median(values: readonly number[]): number {
  return hundredths(percentile(values, 0.5))
}

/** Each with an empty cache of the browser; the first load only warms the service. */
async function loads(
  bench: ConsoleBench,
  path: string,
  expression: string,
  count: number,
  progress: Progress,
): Promise<number[]> {
  const times: number[] = []
  for (let load = 0; load <= count; load++) {
    progress(`${path.split('?', 1)[0]}: load ${load} of ${count}`)
    const watched = await bench.newPage()
    const ms = await watched.readyAfter(`${bench.origin}${path}`, expression)
    if (load > 0) times.push(ms)
    await watched.close()
  }
  return times
}
