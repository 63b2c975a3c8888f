import { readFileSync } from 'node:fs'

/** Answers `--help` and `--version`, and ends the process after either. */
export function answerHelp(help: string): void {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) console.log(help)
  else if (args.includes('--version')) console.log(versionOfProject())
  else return
  process.exit(0)
}

/** Ends the process with exit code 2 and the reason. */
export function refuseArguments(reason: string): never {
  console.error(`${reason}\nAdd --help to see arguments, options and examples.`)
  process.exit(2)
}

/** For tools that take nothing but these words. */
export function refuseOthersThan(...words: string[]): void {
  const unknown = process.argv.slice(2).find((word) => !words.includes(word))
  if (unknown !== undefined) refuseArguments(`Unknown argument: ${unknown}`)
}

function versionOfProject(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
