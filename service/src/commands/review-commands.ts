import type { Command } from 'commander'
import { PaymentReviews } from '../stores/money/payment-reviews.ts'
import type { Act } from './act.ts'
import { withExamples } from './help-examples.ts'
import { jsonOption, wholeNumber } from './read-arguments.ts'

export function addReviewCommands(program: Command, act: Act): void {
  const reviews = program.command('reviews').description('payments that the operator must check')
  withExamples(reviews, 'reviews list')
  const list = reviews
    .command('list')
    .description('list open reviews, oldest first, with the account and the payment')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      act(json, async ({ database }) =>
        (await new PaymentReviews(database).waiting()).map(({ at, ...review }) => ({
          ...review,
          at: at.toISOString(),
        })),
      ),
    )
  withExamples(list, 'reviews list --json')
  const resolve = reviews
    .command('resolve')
    .description('close a review; this adds no credits, use `accounts grant` for that')
    .argument('<review>', 'review number', wholeNumber)
    .requiredOption('--note <text>', 'what was decided')
    .addOption(jsonOption())
    .action((id: number, { note, json }: { note: string; json?: boolean }) =>
      act(json, async ({ database }) => {
        if (!(await new PaymentReviews(database).resolve(id, note)))
          throw new Error(`No open review has the number ${id}`)
        return { id, resolved: true }
      }),
    )
  withExamples(resolve, 'reviews resolve 17 --note "sent back"')
}
