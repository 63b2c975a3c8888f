import { join } from 'node:path'
import type { PerpHourReport } from '@bookreel/sdk'
import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import { NothingFound } from '../exit-codes.ts'
import type { Begin, Invocation } from '../invocation.ts'
import { MOMENT_HELP, moment } from '../moment.ts'
import { bytesText, counted, grouped, timeText } from '../render/numbers.ts'
import { writeWhole } from '../whole-file.ts'

interface Options {
  hour: number
  out?: string
  yes?: true
}

const HOUR_MS = 3_600_000

export function addPerpHour(program: Command, begin: Begin): void {
  const command = program
    .command('perp-hour')
    .description('Show what one hour of the books of a perpetual future has, and download it with --out')
    .argument('<coin>', 'coin, such as BTC')
    .requiredOption('--hour <time>', 'any time in a finished hour', moment)
    .option('--out <folder>', 'download the Parquet file into this folder')
    .option('--yes', 'spend credits without asking for confirmation')
    .action(async (coin: string, { hour: atMs, out, yes }: Options, self: Command) => {
      const invocation = begin(self)
      const { terminal, client, isJson, signal } = invocation
      const query = { symbol: coin.toUpperCase() as 'BTC', hour: atMs - (atMs % HOUR_MS) }
      const report = await client.exchange.exportHourDryRun(query, { signal })
      if (out !== undefined) return download(invocation, report, query, out, yes === true)
      if (isJson) return terminal.json(report)
      for (const line of linesOf(report)) terminal.line(line)
    })
  withExamples(
    command,
    [
      'perp-hour BTC --hour 2h',
      'perp-hour ETH --hour 2026-11-15T12:00:00Z --out hours --yes',
      'perp-hour BTC --hour 3h --json',
    ],
    `Costs 1 credit for each 1,000 books; the same hour is free again for 24 hours. ${MOMENT_HELP}`,
  )
}

function linesOf({ symbol, hour, rows, credits, coverage, gaps, empty_reason: reason }: PerpHourReport): string[] {
  if (rows === 0) return [`${symbol} has no books in the hour from ${timeText(hour)} UTC (${reason ?? 'gap'}).`]
  return [
    `${symbol}, hour from ${timeText(hour)} UTC: ${counted(rows, 'book')}, ${counted(credits, 'credit')}.`,
    `${grouped(coverage.missing_slots)} of ${grouped(coverage.expected_slots)} slots are missing.`,
    ...gaps.map(({ from, to, cause, kind }) => `${timeText(from)} to ${timeText(to)} UTC: ${kind}, ${cause}.`),
  ]
}

async function download(
  { client, terminal, isJson, signal, facts }: Invocation,
  { symbol, hour, rows, credits, empty_reason: reason }: PerpHourReport,
  query: { readonly symbol: 'BTC'; readonly hour: number },
  folder: string,
  isYes: boolean,
): Promise<void> {
  if (rows === 0) throw new NothingFound(`${symbol} has no books in the hour from ${hour} (${reason ?? 'gap'}).`)
  const price = `${counted(rows, 'book')} cost up to ${counted(credits, 'credit')}.`
  if (!(await terminal.confirm(`${price} Download?`, isYes, signal))) return
  const { bytes, sha256 } = await client.exchange.exportHour(query, { signal })
  const charged = facts.last?.creditsCost ?? 0
  const path = join(folder, `${query.symbol}-perp-${new Date(query.hour).toISOString().slice(0, 13)}Z.parquet`)
  writeWhole(folder, path, bytes)
  if (isJson) return terminal.json({ path, rows, bytes: bytes.length, sha256, credits_charged: charged })
  terminal.line(`${path}  ${grouped(rows)} rows  ${bytesText(bytes.length)}. Charged ${counted(charged, 'credit')}.`)
}
