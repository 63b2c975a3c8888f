import { type Choice, type Selection, timeText, VENUES } from './downloads-search.ts'

/** The command means this venue when none is named. */
const USUAL_VENUE = 'polymarket'

/**
 * The same download for a terminal, which has no limit of files and resumes after an interruption.
 * Undefined for pages of many markets, which no command reads at once.
 */
export function cliCommand({ product, choice, fromMs, toMs }: Selection, origin: string): string | undefined {
  const range = `--from ${timeText(fromMs)} --to ${timeText(toMs)}`
  const start = `bookreel --url ${quoted(origin)}`
  if (product === 'hours') return `${start} download --markets ${quoted(marketsOf(choice))} ${range} --out books`
  if (choice.by !== 'markets') return undefined
  return choice.ids.map((id) => `${start} snapshots ${quoted(id)} ${range} --all --book --json`).join('\n')
}

/** The command is copied into a shell, and the choice may come from a link of somebody else. */
function quoted(word: string): string {
  return /^[\w.,:/][\w.,:/-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function marketsOf(choice: Choice): string {
  if (choice.by === 'markets') return choice.ids.join(',')
  const name = choice.by === 'category' ? `category:${choice.category}` : `${choice.coin}/${choice.timeframe}`
  const venues = choice.venue === undefined ? VENUES : [choice.venue]
  return venues.map((venue) => (venue === USUAL_VENUE ? name : `${venue}:${name}`)).join(',')
}
