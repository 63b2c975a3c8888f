/**
 * Writes the pages that are made from code. A test fails when they are not what this would write. With
 * `--examples` it first starts the whole service and asks it for an example of every answer.
 */
import { writeFileSync } from 'node:fs'
import { generatedPages } from './generated-pages.ts'
import { recordExamples } from './record-examples.ts'

if (process.argv.includes('--examples')) await recordExamples((line) => console.log(line))
for (const [file, text] of Object.entries(generatedPages())) {
  writeFileSync(file, text)
  console.log(file)
}
