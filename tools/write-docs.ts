/**
 * Writes the generated pages and SDK types; a test fails when they are out of date. With `--examples` it first starts
 * the whole service and records an example of every endpoint and every error code.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { recordExamples } from './examples/record-examples.ts'
import { generatedPages } from './generated-pages.ts'
import { answerHelp, refuseOthersThan } from './tool-help.ts'

answerHelp(`npm run docs -- [options]

Writes the generated pages of docs/ and the generated types of the SDK.

  --examples           first start the whole service, let gaps, charges and an outage happen, and record an
                       example of every endpoint and every error code (5 minutes)
  --help               show this help
  --version            print the version

Example:
  npm run docs
`)
refuseOthersThan('--examples')

if (process.argv.includes('--examples')) await recordExamples((line) => console.log(line))
for (const [file, text] of Object.entries(generatedPages())) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(file)
}
