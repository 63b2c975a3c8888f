import { BookreelError } from '@bookreel/sdk'
import type { Command } from 'commander'
import { oneOf, SIDES, wholeNumber } from '../arguments.ts'
import { BookScreen } from '../book-screen.ts'
import { withExamples } from '../examples-help.ts'
import { type Begin, throwIfInterrupted } from '../invocation.ts'
import { REFERENCE_HELP, readReference } from '../market-reference.ts'
import { noteOtherWindow } from '../other-window.ts'
import { fetchBook, pollBooks, type SelectedBook } from '../polled-book.ts'
import { bookSelector, streamBooks } from '../streamed-book.ts'

interface Options {
  side: (typeof SIDES)[number]
  depth: number
  once?: true
}

const DEFAULT_DEPTH = 15
/** Errors that refuse the stream but still allow polling over REST. */
const POLLS_INSTEAD = new Set(['tier_not_allowed', 'scope_not_allowed', 'rate_limited'])

export function addBook(program: Command, begin: Begin): void {
  const command = program
    .command('book')
    .description('Show the live order book of a market as a ladder, until Ctrl-C')
    .argument('<market>', 'condition id, slug, coin/timeframe, or coin/perp')
    .option('--side <side>', 'token: UP or DOWN', oneOf(SIDES), 'UP')
    .option('--depth <levels>', 'maximum number of levels per side', wholeNumber(1, 1_000), DEFAULT_DEPTH)
    .option('--once', 'print the book once and exit')
    .action(async (market: string, options: Options, self: Command) => {
      const { client, terminal, isJson, signal } = begin(self)
      const selected: SelectedBook = { reference: readReference(market), text: market, side: options.side }
      const screen = new BookScreen(terminal, { depth: options.depth, isJson })
      const onOtherWindow = noteOtherWindow({ note: (text) => screen.showStatus(text) })
      if (options.once === true) return screen.print(await fetchBook(client, selected, onOtherWindow))
      const selector = await bookSelector(client, selected, onOtherWindow)
      screen.open()
      try {
        await streamBooks(client, selected, selector, (book) => screen.show(book)).catch((error: unknown) => {
          if (!(error instanceof BookreelError) || !POLLS_INSTEAD.has(error.code)) throw error
          screen.showStatus(`This key cannot open a stream (${error.code}); requesting the book every 2 seconds.`)
          return pollBooks(client, selected, (book) => screen.show(book), signal)
        })
      } finally {
        screen.close()
      }
      throwIfInterrupted(signal)
    })
  withExamples(
    command,
    ['book BTC/5m', 'book btc-updown-1h --side down', 'book BTC/perp --depth 5', 'book BTC/5m --once --json'],
    `${REFERENCE_HELP}\n"verified" means that the hash published by the venue matches this book; "no change is missing" that the venue numbers
its changes and all arrived; "unverified" that its proof does not hold.`,
  )
}
