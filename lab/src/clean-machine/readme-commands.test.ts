import { expect, test } from 'vitest'
import { commandsIn } from './readme-commands.ts'

test('commands of all blocks are read in order, continued lines joined, without output and comments', () => {
  const page = `# Title

\`\`\`
npm ci

# a comment
npm run dev
\`\`\`

Inline \`npm run no\`.

\`\`\`text
what it prints
\`\`\`

\`\`\`sh
curl --data \\
  "SELECT 1"
\`\`\`
`
  expect(commandsIn(page)).toEqual(['npm ci', 'npm run dev', 'curl --data "SELECT 1"'])
})
