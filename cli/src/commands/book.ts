import { BookreelError } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, SIDES, wholeNumber } from '../arguments.ts'
import { BookScreen } from '../book-screen.ts'
import { withExamples } from '../examples-help.ts'
import { type Begin, throwIfInterrupted } from '../invocation.ts'
import { REFERENCE_HELP, readReference } from '../market-reference.ts'
import { askBook, pollBooks, type Shown } from '../polled-book.ts'
import { streamBooks } from '../streamed-book.ts'

interface Options {
  side: (typeof SIDES)[number]
  depth: number
  once?: true
}

const USUAL_DEPTH = 15
/** Refusals of a stream after which asking again and again still works. */
const ASKS_INSTEAD = new Set(['tier_not_allowed', 'scope_not_allowed', 'rate_limited'])

export function addBook(program: Command, begin: Begin): void {
  const command = program
    .command('book')
    .description('The live book of a market as a ladder, until Ctrl-C')
    .argument('<market>', 'condition id, slug, coin/timeframe, or coin/perp')
    .option('--side <side>', 'UP or DOWN', oneOf(SIDES), 'UP')
    .option('--depth <levels>', 'of each side at most', wholeNumber(1, 1_000), USUAL_DEPTH)
    .option('--once', 'show it and end')
    .action(async (market: string, options: Options, self: Command) => {
      const { client, terminal, isJson, signal } = begin(self)
      const asked: Shown = { reference: readReference(market), text: market, side: options.side }
      const screen = new BookScreen(terminal, { depth: options.depth, isJson })
      if (options.once === true) return screen.print(await askBook(client, asked))
      screen.open()
      try {
        await streamBooks(client, asked, (book) => screen.show(book)).catch((error: unknown) => {
          if (!(error instanceof BookreelError) || !ASKS_INSTEAD.has(error.code)) throw error
          screen.remark(`No stream for this key (${error.code}): the book is asked for every two seconds.`)
          return pollBooks(client, asked, (book) => screen.show(book), signal)
        })
      } finally {
        screen.close()
      }
      throwIfInterrupted(signal)
    })
  withExamples(
    command,
    ['book BTC/5m', 'book btc-updown-1h --side down', 'book BTC/perp --depth 5', 'book BTC/5m --once --json'],
    `${REFERENCE_HELP}\nverified: the venue’s own hash proved this very book.`,
  )
}
