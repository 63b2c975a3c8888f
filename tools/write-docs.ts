/** Writes the pages that are made from code. A test fails when they are not what this would write. */
import { writeFileSync } from 'node:fs'
import { configPage } from './config-page.ts'

writeFileSync('docs/config.md', configPage())
console.log('docs/config.md')
