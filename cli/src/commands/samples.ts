import type { Sample } from '@bookreel/sdk'
import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { grouped } from '../render/numbers.ts'
import { type Column, renderTable } from '../render/table.ts'

const COLUMNS: readonly Column<Sample>[] = [
  { title: 'SAMPLE', text: ({ id }) => id, mayShrink: true },
  { title: 'HOUR', text: ({ hour }) => hour },
  { title: 'ROWS', text: ({ rows }) => grouped(rows), isNumber: true },
  { title: 'GAPS', text: ({ gap_count: gaps }) => grouped(gaps), isNumber: true },
  { title: 'BYTES', text: ({ bytes }) => grouped(bytes), isNumber: true },
  { title: 'FILE', text: ({ file_path: path }) => path },
]

export function addSamples(program: Command, begin: Begin): void {
  const command = program
    .command('samples')
    .description('List finished hours that can be downloaded free of charge')
    .action(async (_options: unknown, self: Command) => {
      const { terminal, client, isJson, settings } = begin(self)
      const answer = await client.public.samples()
      if (isJson) return terminal.json(answer)
      if (answer.samples.length === 0) return terminal.note('The operator of this service has made no sample yet.')
      terminal.out(renderTable(COLUMNS, answer.samples, { width: terminal.tableWidth, paint: terminal.paint }))
      terminal.note(`\nDownload one with: curl -O ${settings.url}${answer.samples[0]?.file_path}`)
    })
  withExamples(command, ['samples', 'samples --json'])
}
