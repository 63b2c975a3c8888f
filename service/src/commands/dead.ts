import { jetstreamManager } from '@nats-io/jetstream'
import { type Command, InvalidArgumentError } from 'commander'
import { BrokenBatch, decodeBatch } from '../bus/batch.ts'
import { type KeptDeadLetter, readDeadLetters, removeDeadLetter } from '../bus/dead-letters.ts'
import type { Config } from '../config.ts'
import { type RowInserter, RowsRefused, rowInserter } from '../stores/books/row-inserter.ts'
import { openBus, openClickHouse } from '../wiring/engines.ts'
import { factsLine } from './facts-line.ts'
import { withExamples } from './help-examples.ts'
import type { OperatorTools } from './operator.ts'

/** `bookreel-server dead …`: messages that the archive could not store. */
export function addDeadCommands(program: Command, { name, readConfig, print, complain }: OperatorTools): void {
  const dead = program.command('dead').description('manage dead letters: messages that the archive could not store')
  withExamples(dead, 'dead list', 'dead replay')
  const list = dead
    .command('list')
    .description('list all dead letters, oldest first, with number, time, shard, size and reason')
    .option('--json', 'print one JSON object per line')
    .action(async ({ json }: { json?: boolean }) => {
      await using bus = await openManager(await readConfig())
      let count = 0
      for await (const { number, at, shard, sequence, bytes, reason } of readDeadLetters(bus.manager)) {
        count++
        const facts = { number, at: at.toISOString(), shard, sequence, bytes: bytes.length, reason }
        print(json ? JSON.stringify(facts) : factsLine(facts))
      }
      if (count === 0 && !json) print('No dead letters.')
    })
  withExamples(list, 'dead list --json')
  const replay = dead
    .command('replay')
    .description('insert dead letters into ClickHouse; stored ones are removed, the others stay')
    .argument('[numbers...]', 'numbers from `dead list`; without them, all')
    .action(async (numbers: string[]) => {
      const wanted = new Set(numbers.map((text) => letterNumber(text, `${name} dead list`)))
      const config = await readConfig()
      await using bus = await openManager(config)
      const clickhouse = openClickHouse(config)
      try {
        let [stored, kept] = [0, 0]
        for await (const letter of readDeadLetters(bus.manager)) {
          if (wanted.size > 0 && !wanted.has(letter.number)) continue
          const problem = await storeLetter(rowInserter(clickhouse), letter)
          if (problem === undefined) {
            await removeDeadLetter(bus.manager, letter.number)
            stored++
          } else {
            complain(`Dead letter ${letter.number} can not be stored: ${problem}`)
            kept++
          }
        }
        print(`Dead letters: ${stored} stored and removed, ${kept} kept.`)
        if (kept > 0) process.exitCode = 1
      } finally {
        await clickhouse.close()
      }
    })
  withExamples(replay, 'dead replay', 'dead replay 17 18')
}

/** Returns why the dead letter can't be stored, or undefined when it is stored. A repeated insert has no effect. */
async function storeLetter(rows: RowInserter, { bytes }: KeptDeadLetter): Promise<string | undefined> {
  try {
    const { sections, newerSections } = decodeBatch(bytes)
    const [newer] = newerSections
    if (newer !== undefined) return `schema ${newer.schema} of ${newer.table} needs a newer version of bookreel-server`
    for (const { table, schema, bytes: part } of sections) await rows.insertRaw(table, schema, [part])
    return undefined
  } catch (error) {
    if (error instanceof BrokenBatch || error instanceof RowsRefused) return error.message
    throw error
  }
}

async function openManager(config: Config) {
  const connection = await openBus(config, 'dead-letters')
  return {
    manager: await jetstreamManager(connection),
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

function letterNumber(text: string, list: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError(`${text} is not a number of \`${list}\`.`)
  return Number(text)
}
