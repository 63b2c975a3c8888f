import { type Command, Option } from 'commander'
import { mergeByTime } from '../raw/merge-by-time.ts'
import type { MissingTime, RawRange, RawReader } from '../raw/raw-reader.ts'
import type { StoredSegment } from '../raw/stored-segments.ts'
import { openRawFolder, openRawReader } from '../wiring/open-raw.ts'
import { factsLine } from './facts-line.ts'
import { withExamples } from './help-examples.ts'
import type { OperatorTools } from './operator.ts'
import { instant, jsonOption } from './read-arguments.ts'

interface RangeOptions {
  readonly from?: number
  readonly to?: number
  readonly folder?: string
}

interface CatOptions extends RangeOptions {
  readonly market?: string
  readonly venue?: string
  readonly kind?: string
}

/** `bookreel-server raw …`: the raw archive, from RAW_DIR and from object storage. */
export function addRawCommands(program: Command, { readConfig, print, complain }: OperatorTools): void {
  const raw = program.command('raw').description('read the raw archive: everything that recorders received and decided')
  withExamples(raw, 'raw list', 'raw cat --from 2027-01-31T00:00:00Z --to 2027-01-31T00:01:00Z')
  const open = async ({ folder }: RangeOptions) => {
    let missing = 0
    const onMissing = (span: MissingTime): void => {
      missing++
      complain(missingLine(span))
    }
    const opened =
      folder === undefined ? await openRawReader(await readConfig(), onMissing) : openRawFolder(folder, onMissing)
    return { ...opened, [Symbol.dispose]: opened.close, missing: () => missing }
  }

  const cat = withRange(raw.command('cat'))
    .description('print the original records, one JSON object per line')
    .option('--market <id>', 'only records that contain this id of a market, token or coin')
    .option('--venue <venue>', 'only records of this venue')
    .option(
      '--kind <kind>',
      'only records of this kind, such as frame, rest, opened, closed, listed, tick or checkpoint',
    )
    .action(async (options: CatOptions) => {
      using opened = await open(options)
      const range = rangeOf(options)
      const recorders = await segmentsOf(opened.reader, range)
      const sequences = recorders.map((segments) => opened.reader.read(segments, range))
      for await (const { kind, atMs, venue, stream, body } of mergeByTime(sequences)) {
        if (options.venue !== undefined && venue !== options.venue) continue
        if (options.kind !== undefined && kind !== options.kind) continue
        if (options.market !== undefined && !body.includes(options.market)) continue
        const at = new Date(atMs).toISOString()
        print(JSON.stringify({ at, at_ms: atMs, venue, stream, kind, text: body.toString() }))
      }
      if (opened.missing() > 0) process.exitCode = 1
    })
  withExamples(cat, 'raw cat --from 2027-01-31T00:00:00Z --to 2027-01-31T00:01:00Z --venue polymarket --kind frame')

  const list = withRange(raw.command('list'))
    .description('list the segments with times, size and numbers of records')
    .addOption(jsonOption())
    .action(async ({ json, ...options }: RangeOptions & { json?: boolean }) => {
      using opened = await open(options)
      const recorders = await segmentsOf(opened.reader, rangeOf(options))
      for (const segments of recorders) opened.reader.reportMissing(segments)
      for (const segment of recorders.flat()) {
        const { key, recorder, startMs, endMs, bytes, place } = segment
        const index = await opened.reader.index(segment)
        const facts = {
          from: new Date(startMs).toISOString(),
          to: endMs === undefined ? 'open' : new Date(endMs).toISOString(),
          recorder,
          bytes,
          raw_bytes: index?.rawBytes,
          records: index?.records,
          kinds: index?.kinds,
          venues: index?.venues,
          place: place.name,
          key,
        }
        print(json ? JSON.stringify(facts) : factsLine(facts))
      }
      if (opened.missing() > 0) process.exitCode = 1
    })
  withExamples(list, 'raw list', 'raw list --from 2027-01-31T00:00:00Z --json')

  const verify = withRange(raw.command('verify'))
    .description('check the checksums of all segments; exit code 1 when one is wrong or missing')
    .action(async (options: RangeOptions) => {
      using opened = await open(options)
      let [sound, wrong] = [0, 0]
      const recorders = await segmentsOf(opened.reader, rangeOf(options))
      for (const segments of recorders) opened.reader.reportMissing(segments)
      for (const segment of recorders.flat()) {
        const problem = await opened.reader.verify(segment)
        if (problem === undefined) sound++
        else {
          wrong++
          complain(`${segment.key}: ${problem}`)
        }
      }
      print(`Segments: ${sound} are sound, ${wrong} are not.`)
      if (wrong + opened.missing() > 0) process.exitCode = 1
    })
  withExamples(verify, 'raw verify')
}

/** The segments of each recorder. */
async function segmentsOf(reader: RawReader, range: RawRange): Promise<StoredSegment[][]> {
  const recorders = [...(await reader.segments(range)).values()]
  if (recorders.length === 0)
    throw new Error('There are no segments of this time. Check RAW_DIR, OBJECT_STORE_URL or --folder, and the range.')
  return recorders
}

function withRange(command: Command): Command {
  return command
    .addOption(new Option('--from <time>', 'start of the range; the default is everything').argParser(instant))
    .addOption(new Option('--to <time>', 'end of the range, not included').argParser(instant))
    .option('--folder <folder>', 'read only this folder, such as that of `fieldcheck`; no settings are needed')
}

function rangeOf({ from, to }: RangeOptions): RawRange {
  return { fromMs: from ?? Number.NEGATIVE_INFINITY, toMs: to ?? Number.POSITIVE_INFINITY }
}

function missingLine({ recorder, fromMs, toMs, reason }: MissingTime): string {
  return `Records of ${recorder} are missing from ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}: ${reason}.`
}
