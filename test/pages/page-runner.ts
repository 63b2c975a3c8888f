import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeBlock } from './code-blocks.ts'
import { commandOutput, type Expectation, needsOwnMachine, programOutput } from './expected-output.ts'
import { commandsOf, type Ended, type Shell } from './shell.ts'

export interface Counts {
  blocks: number
  executed: number
  notRun: number
  output: number
  commands: number
}

const WITHIN_MS = 120_000
const PROGRAMS: Record<string, { file: string; start: string; mark: (line: number) => string }> = {
  js: { file: 'example.mjs', start: 'node example.mjs', mark: (line) => `console.log('block ${line} ended')` },
  ts: { file: 'example.ts', start: 'node example.ts', mark: (line) => `console.log('block ${line} ended')` },
  python: {
    file: 'example.py',
    start: 'python3 example.py',
    mark: (line) => `print("block ${line} ended", flush=True)`,
  },
}

/** Runs the blocks of one page as its reader would, in one terminal. */
export class PageRunner {
  readonly #page: string
  readonly #shell: Shell
  readonly #paste: (script: string) => Promise<void>
  readonly #counts: Counts

  constructor(page: string, shell: Shell, paste: (script: string) => Promise<void>, counts: Counts) {
    this.#page = page
    this.#shell = shell
    this.#paste = paste
    this.#counts = counts
  }

  async run(blocks: readonly CodeBlock[]): Promise<void> {
    for (const block of blocks) {
      this.#counts.blocks++
      if (block.kind === 'sh') await this.#type(block)
      else if (block.kind === 'js browser') {
        await this.#paste(block.text)
        this.#counts.executed++
      } else if (block.kind in PROGRAMS) {
        if (block === blocks.findLast(({ kind }) => kind === block.kind)) {
          const parts = blocks.filter(({ kind }) => kind === block.kind)
          await this.#program(block.kind, parts)
          this.#counts.executed += parts.length
        }
      } else {
        if (block.kind === 'json') JSON.parse(block.text)
        this.#counts.output++
      }
    }
  }

  async #type({ text, line }: CodeBlock): Promise<void> {
    const commands = commandsOf(text)
    if (this.#page === 'README.md' && commands.some(needsOwnMachine)) {
      this.#counts.notRun++
      return
    }
    for (const command of commands) await this.command(command, `${this.#page}:${line}`)
    this.#counts.executed++
  }

  async #program(language: string, blocks: readonly CodeBlock[]): Promise<void> {
    const { file, start, mark } = PROGRAMS[language] as (typeof PROGRAMS)[string]
    const { output: folder } = await this.#shell.run('pwd', WITHIN_MS)
    const text = blocks.map((block) => `${block.text}\n${mark(block.line)}\n`).join('')
    writeFileSync(join(folder.trim(), file), text)
    const expected = programOutput(this.#page, language)
    const ended = await this.#execute(start, expected)
    check(`${this.#page}, the ${language} blocks`, start, ended, expected)
    const unfinished = blocks.filter(({ line }) => !ended.output.includes(`block ${line} ended`))
    if (unfinished.length > 0)
      throw new Error(`${this.#page}: not reached: line ${unfinished[0]?.line}\n${ended.output}`)
  }

  async command(command: string, place: string): Promise<Ended> {
    const expected = commandOutput(command)
    const ended = await this.#execute(command, expected)
    check(place, command, ended, expected)
    this.#counts.commands++
    return ended
  }

  #execute(command: string, expected: Expectation | undefined): Promise<Ended> {
    if (expected?.run === 'until Ctrl-C') return this.#shell.runUntil(command, expected.shows, WITHIN_MS)
    return this.#shell.run(command, WITHIN_MS)
  }
}

function check(place: string, command: string, { output, code }: Ended, expected: Expectation | undefined): void {
  const problems: string[] = []
  if (expected?.run !== 'until Ctrl-C' && code !== 0) problems.push(`it ended with ${code}`)
  if (expected !== undefined && !expected.shows.test(output.trim())) problems.push(`it did not show ${expected.shows}`)
  if (/^\{"error":"/m.test(output)) problems.push('it showed an API error')
  if (/Traceback \(most recent call last\)|^\s+at .*:\d+:\d+\)?$/m.test(output))
    problems.push('it showed a stack trace')
  if (problems.length > 0) throw new Error(`${place}: ${problems.join(', ')}:\n${command}\n${output}`)
}
