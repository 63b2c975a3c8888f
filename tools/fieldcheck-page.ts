import type { Assumption } from '@bookreel/service/fieldcheck/assumption'
import { VENUE_CHECKS } from '@bookreel/service/fieldcheck/run-fieldcheck'

/** The page of the field check, with the assumptions from the code. */
export function fieldcheckPage(): string {
  const tables = Object.entries(VENUE_CHECKS).map(([venue, { assumptions }]) => tableOf(venue, assumptions))
  return `# Field check

Made by \`npm run docs\` from \`service/src/fieldcheck/\`.

The recorder was written from the documentation of the venues and from recorded frames. \`fieldcheck\` tests everything that it assumes against the real venues. It needs access to the internet and about ten minutes; it needs no engines, no settings and no account.

\`\`\`sh venues
npm run server -- fieldcheck polymarket
npm run server -- fieldcheck polymarket --minutes 2 --json polymarket.json
\`\`\`

Progress is printed every ten seconds. Ctrl-C ends the check early and prints what was seen until then.

## Read the report

| Verdict | Meaning |
|---|---|
| confirmed | It was seen, and no more than the allowed share of the observations differed. |
| contradicted | More than the allowed share of the observations differed. The report shows one of them. |
| not seen | Nothing was observed that shows it or contradicts it. The report says what was needed. Run the check for longer, or at another time. |

The recorder relies on the assumptions with an asterisk. When one of them is contradicted, the venue has changed or we were wrong: the exit code is 1, and the recorder should not be used for this venue before its code is corrected. A contradiction of the others is worth a look, because it shows that the venue has changed something.

The exit code is 0 when nothing that the recorder relies on is contradicted, 1 when something is, when a part of the check failed or when an address does not answer, and 2 for wrong arguments.

All received frames and REST answers are stored in the folder \`out/fieldcheck\`, or in that of \`--frames\`. When you report a contradiction, send the report and this folder. The command prints one record per line:

\`\`\`sh venues
npm run server -- raw cat --folder out/fieldcheck --kind frame
\`\`\`

## Check the simulator

The addresses are those of [config.md](config.md), so the check can also be tried without internet, against the simulated venues:

\`\`\`sh venues
npm run sim -- --past 50
\`\`\`

In a second terminal:

\`\`\`sh venues
export POLYMARKET_GAMMA_URL=http://127.0.0.1:4800/gamma POLYMARKET_CLOB_URL=http://127.0.0.1:4800/clob
export POLYMARKET_SOCKET_URL=ws://127.0.0.1:4800/polymarket/ws/market
npm run server -- fieldcheck polymarket --minutes 0.5
\`\`\`

\`npm run sim -- --broken polymarket.heartbeat\` starts venues that do not keep this rule; \`npm run sim -- serve --help\` lists all rules that can be broken.

## Assumptions

${tables.join('\n\n')}
`
}

function tableOf(venue: string, assumptions: Readonly<Record<string, Assumption>>): string {
  const rows = Object.entries(assumptions).map(([id, { says, isRelied, mostAgainst = 0 }]) => {
    const share = mostAgainst === 0 ? 'none' : `${mostAgainst * 100} %`
    return `| \`${id}\` | ${says} | ${isRelied ? 'yes' : 'no'} | ${share} |`
  })
  return `### ${venue}\n\n| Name | What we assume | The recorder relies on it | Observations that may differ |\n|---|---|---|---|\n${rows.join('\n')}`
}
