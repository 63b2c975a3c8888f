/**
 * Writes the generated pages and SDK types; a test fails when they are out of date. With `--examples` it first starts
 * the whole service and records an example response of every endpoint.
 */
import { writeFileSync } from 'node:fs'
import { generatedPages } from './generated-pages.ts'
import { recordExamples } from './record-examples.ts'
import { answerHelp, refuseOthersThan } from './tool-help.ts'

answerHelp(`npm run docs -- [options]

Writes the generated pages of docs/ and the generated types of the SDK.

  --examples           first start the whole service and record an example response of every endpoint
  --help               show this help
  --version            print the version

Example:
  npm run docs
`)
refuseOthersThan('--examples')

if (process.argv.includes('--examples')) await recordExamples((line) => console.log(line))
for (const [file, text] of Object.entries(generatedPages())) {
  writeFileSync(file, text)
  console.log(file)
}
