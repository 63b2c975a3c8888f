import { existsSync, statSync } from 'node:fs'
import type { FileEntry } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf } from '../arguments.ts'
import { withExamples } from '../examples-help.ts'
import { NothingFound } from '../exit-codes.ts'
import type { Begin, Invocation } from '../invocation.ts'
import { MOMENT_HELP, moment, requireRange } from '../moment.ts'
import { bytesText, counted, grouped } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'
import { parquetPath, writeWhole } from '../whole-file.ts'

const KINDS = [
  'series',
  'market',
  'trades',
  'perp_books',
  'perp_trades',
  'perp_contexts',
  'prices',
  'gaps',
  'all',
] as const
/** Venues, and sources of prices. */
const PLACES = ['polymarket', 'kalshi', 'hyperliquid', 'binance', 'chainlink', 'twap60', 'all'] as const

interface Filters {
  kind?: (typeof KINDS)[number]
  coin?: string
  timeframe?: string
  market?: string
  venue?: (typeof PLACES)[number]
  from?: number
  to?: number
}

interface Options extends Filters {
  out?: string
  yes?: true
}

const COLUMNS: readonly Column<FileEntry>[] = [
  { title: 'ID', text: ({ id }) => id, mayShrink: true },
  { title: 'MARKETS', text: ({ markets }) => grouped(markets), isNumber: true },
  { title: 'ROWS', text: ({ rows }) => grouped(rows), isNumber: true },
  { title: 'SIZE', text: ({ bytes }) => bytesText(bytes), isNumber: true },
  { title: 'CREDITS', text: ({ credits }) => grouped(credits), isNumber: true },
]

export function addFiles(program: Command, begin: Begin): void {
  const command = program
    .command('files')
    .description('List the Parquet files of finished days, and download them with --out')
    .option('--coin <coin>', 'only this coin, such as BTC')
    .option('--timeframe <name>', 'only this timeframe: 5m, 15m, 1h, 4h, 1d, game, daily-high…')
    .option('--market <id>', 'only files that contain the market with this condition id')
    .option(
      '--kind <name>',
      `only this kind: ${KINDS.join(', ')} (default: series and market, the books of binary markets)`,
      oneOf(KINDS),
    )
    .option(
      '--venue <name>',
      `only this venue, or source of prices: ${PLACES.join(', ')} (default: all with --kind, else ${PLACES[0]})`,
      oneOf(PLACES),
    )
    .option('--from <time>', 'only days that start at this time or later', moment)
    .option('--to <time>', 'only days that start before this time', moment)
    .option('--out <folder>', 'download the files into this folder; complete files in it are kept')
    .option('--yes', 'spend credits without asking for confirmation')
    .action(async ({ out, yes, ...filters }: Options, self: Command) => {
      requireRange(filters.from, filters.to)
      const invocation = begin(self)
      const { terminal, client, isJson } = invocation
      const files = await Array.fromAsync(client.files.all(filters))
      if (out !== undefined) return download(invocation, files, out, yes === true)
      if (isJson) return terminal.json(files)
      if (files.length === 0)
        return terminal.note('No file matches. The files of a day are made after its end, in UTC.')
      terminal.out(renderTable(COLUMNS, files, { width: terminal.tableWidth, paint: terminal.paint }))
    })
  withExamples(
    command,
    [
      'files --coin BTC --timeframe 5m',
      'files --kind perp_books --from 7d',
      'files --kind all --coin BTC --out days --yes',
      'files --json',
    ],
    `Costs 1 credit for each 1,000 rows of a file, once for each account. ${MOMENT_HELP}`,
  )
}

async function download(
  { client, terminal, isJson, signal, facts }: Invocation,
  files: readonly FileEntry[],
  folder: string,
  isYes: boolean,
): Promise<void> {
  if (files.length === 0) throw new NothingFound('No file matches. Remove a filter, or list files without --out.')
  const missing = files.filter((file) => !isComplete(folder, file))
  const credits = missing.reduce((sum, file) => sum + file.credits, 0)
  const price = `${counted(missing.length, 'file')} cost up to ${counted(credits, 'credit')}.`
  if (missing.length > 0 && !(await terminal.confirm(`${price} Download?`, isYes, signal))) return
  let charged = 0
  for (const file of missing) {
    const { bytes } = await client.files.download(file.id, { signal })
    charged += facts.last?.creditsCost ?? 0
    const path = parquetPath(folder, file.id)
    writeWhole(folder, path, bytes)
    terminal.note(`${path}  ${grouped(file.rows)} rows  ${bytesText(file.bytes)}`)
  }
  if (isJson) return terminal.json({ files: files.length, downloaded: missing.length, credits_charged: charged })
  terminal.line(`${counted(files.length, 'file')} in ${folder}. Charged ${counted(charged, 'credit')}.`)
}

function isComplete(folder: string, file: FileEntry): boolean {
  const path = parquetPath(folder, file.id)
  return existsSync(path) && statSync(path).size === file.bytes
}
