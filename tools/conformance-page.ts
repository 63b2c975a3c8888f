import type { Row } from '../service/test/conformance/row.ts'
import { ROWS } from '../service/test/conformance/rows.ts'
import type { Section } from '../service/test/conformance/section.ts'
import { SECTIONS } from '../service/test/conformance/sections.ts'

/** Requests of a matrix are shown as far as this and then counted. */
const REQUESTS_SHOWN = 2

/** The page of what is shown to be as the interface says, made from the rows that show it. */
export function conformancePage(): string {
  const count = ROWS.length.toLocaleString('en')
  const contents = SECTIONS.map(({ id, title }) => {
    const rows = ROWS.filter(({ section }) => section === id).length
    const deviations = SECTIONS.find((section) => section.id === id)?.deviations?.length ?? 0
    return `| ${nameOf(id)} | ${title} | ${rows} | ${deviations} |`
  })
  return `# Conformance

Made by \`npm run docs\` from \`service/test/conformance/rows.ts\` and \`service/test/conformance/sections.ts\`. Each of the ${count} rows is a request that \`service/test/conformance/conformance.test.ts\` sends to the running service over recorded data; its status, its error code and what is claimed of its answer are checked, and every answer of every status is held against the published [openapi.json](openapi.json). Names in braces stand for what the suite finds or makes: a \`live\` market, one that is \`closed\`, one of an \`other\` category, an \`old\` one, one that only its rows remember (\`forgotten\`), one without a book (\`silent\`).

The parts are those of the interface, in our words. Where we do something else, or the interface says two things or nothing, it is listed with the reason.

| Part | About | Rows | Choices and deviations |
|---|---|---|---|
${contents.join('\n')}

${SECTIONS.map(sectionOf).join('\n')}`
}

/** Parts that nothing shows and nothing excuses. */
export function unshownSections(): string[] {
  return SECTIONS.filter(
    ({ id, deviations = [] }) => deviations.length === 0 && !ROWS.some((row) => row.section === id),
  ).map(({ id }) => id)
}

function nameOf(id: string): string {
  return /^\d/.test(id) ? id : '–'
}

function sectionOf({ id, title, says, deviations = [] }: Section): string {
  const byWords = Map.groupBy(
    ROWS.filter(({ section }) => section === id),
    ({ shows }) => shows,
  )
  const shown = [...byWords].map(
    ([shows, rows]) => `| ${cell(shows)} | ${requestsOf(rows)} | ${askersOf(rows)} | ${answersOf(rows)} |`,
  )
  const rows =
    shown.length === 0 ? '' : `\n| Shown | Requests | As | Answer |\n|---|---|---|---|\n${shown.join('\n')}\n`
  const choices = deviations.map(({ what, why }) => `| ${cell(what)} | ${cell(why)} |`)
  const differs = choices.length === 0 ? '' : `\n| Choice or deviation | Why |\n|---|---|\n${choices.join('\n')}\n`
  const head = /^\d/.test(id) ? `${id} ${title}` : title
  return `## ${head}\n\n${says}\n${rows}${differs}`
}

function requestsOf(rows: readonly Row[]): string {
  const all = [
    ...new Set(rows.map(({ method = 'GET', request }) => (method === 'GET' ? request : `${method} ${request}`))),
  ]
  const shown = all.slice(0, REQUESTS_SHOWN).map((request) => `\`${request.replaceAll('|', '%7C')}\``)
  const rest = all.length - shown.length
  return rest === 0 ? shown.join('<br>') : `${shown.join('<br>')}<br>and ${rest} more`
}

function askersOf(rows: readonly Row[]): string {
  return [...new Set(rows.map(({ as }) => as))].join(', ')
}

function answersOf(rows: readonly Row[]): string {
  const answers = rows.map(({ status, error }) => (error === undefined ? String(status) : `${status} \`${error}\``))
  return [...new Set(answers)].toSorted().join('<br>')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
