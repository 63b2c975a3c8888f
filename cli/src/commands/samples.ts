import type { Sample } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, SIDES } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import { NothingFound, WrongUse } from '../exit-codes.ts'
import type { Begin, Invocation } from '../invocation.ts'
import { programNameOf } from '../program-name.ts'
import { renderHeatMap } from '../render/heat-map.ts'
import { bytesText, counted, grouped, timeText } from '../render/numbers.ts'
import { type Column, renderFacts, renderTable } from '../render/table.ts'
import { parquetPath, writeWhole } from '../whole-file.ts'

interface Options {
  out?: string
  heatmap?: true
  side: (typeof SIDES)[number]
}

const HEIGHT = 24

const COLUMNS: readonly Column<Sample>[] = [
  { title: 'SAMPLE', text: ({ id }) => id },
  { title: 'HOUR', text: ({ hour }) => hour },
  { title: 'ROWS', text: ({ rows }) => grouped(rows), isNumber: true },
  { title: 'GAPS', text: ({ gap_count: gaps }) => grouped(gaps), isNumber: true },
  { title: 'SIZE', text: ({ bytes }) => bytesText(bytes), isNumber: true },
]

export function addSamples(program: Command, begin: Begin): void {
  const command = program
    .command('samples')
    .description('List finished hours that everybody may look at, without a key and free of charge')
    .argument('[sample]', 'show only this sample, with its gaps')
    .option('--out <folder>', 'download the Parquet file of the sample into this folder')
    .option('--heatmap', 'draw the sizes of the book by time and price')
    .option('--side <side>', 'token of the heat map: UP or DOWN', oneOf(SIDES), 'UP')
    .action(async (id: string | undefined, options: Options, self: Command) => {
      const invocation = begin(self)
      if (id === undefined) return listSamples(invocation, options, programNameOf(self))
      if (options.out !== undefined) return download(invocation, id, options.out)
      if (options.heatmap === true) return draw(invocation, id, options.side)
      return show(invocation, id)
    })
  withExamples(command, [
    'samples',
    'samples SAMPLE',
    'samples SAMPLE --heatmap',
    'samples SAMPLE --out hours',
    'samples --json',
  ])
}

async function listSamples(
  { terminal, client, isJson }: Invocation,
  { out, heatmap }: Options,
  program: string,
): Promise<void> {
  if (out !== undefined || heatmap === true)
    throw new WrongUse(`Name a sample before --out or --heatmap. List the samples with: ${program} samples`)
  const answer = await client.public.samples()
  if (isJson) return terminal.json(answer)
  const { samples } = answer
  if (samples.length === 0) return terminal.note('The operator of this service has made no sample yet.')
  terminal.out(renderTable(COLUMNS, samples, { width: terminal.tableWidth, paint: terminal.paint }))
  terminal.note(`\nDownload one with: ${program} samples ${samples[0]?.id} --out hours`)
}

async function show({ terminal, client, isJson }: Invocation, id: string): Promise<void> {
  const answer = await client.public.sample(id)
  if (isJson) return terminal.json(answer)
  const { question, hour, rows, bytes, sha256, coverage, gaps } = answer
  const facts: [string, string][] = [
    ['question', question],
    ['hour', `from ${timeText(hour)} UTC`],
    ['file', `${counted(rows, 'row')}, ${bytesText(bytes)}, SHA-256 ${sha256}`],
    ['missing', `${grouped(coverage.missing_slots)} of ${grouped(coverage.expected_slots)} slots`],
  ]
  terminal.out(renderFacts(facts, terminal.paint))
  for (const { from, to, kind, cause } of gaps)
    terminal.line(`${timeText(from)} to ${timeText(to)} UTC: ${kind}, ${cause}.`)
}

async function download({ terminal, client, isJson, signal }: Invocation, id: string, folder: string): Promise<void> {
  const { bytes, sha256 } = await client.public.sampleFile(id, { signal })
  const path = parquetPath(folder, id)
  writeWhole(folder, path, bytes)
  if (isJson) return terminal.json({ path, bytes: bytes.length, sha256 })
  terminal.line(`${path}  ${bytesText(bytes.length)}, SHA-256 verified`)
}

async function draw({ terminal, client, isJson }: Invocation, id: string, side: (typeof SIDES)[number]): Promise<void> {
  const answer = await client.public.sampleHeatmap(id, { side })
  if (isJson) return terminal.json(answer)
  const size = { width: terminal.tableWidth, height: HEIGHT }
  const drawn = answer.tiles.map((tile) => renderHeatMap(tile, size)).filter((lines) => lines.length > 0)
  if (drawn.length === 0) throw new NothingFound(`The sample ${id} has no heat map: an earlier version made it.`)
  for (const [index, lines] of drawn.entries()) {
    if (index > 0) terminal.line()
    for (const line of lines) terminal.line(line)
  }
}
