import { readFileSync } from 'node:fs'
import { Command, CommanderError, Option as Flag, InvalidArgumentError } from 'commander'
import type { Experiment, Option, Settings } from './experiment.ts'
import { ALL_MET, FAILED, runExperiment, type Screen } from './run-experiment.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const NUMBER = /^-?\d+(\.\d+)?$/

/** Parses the command line, runs the experiment, and returns the exit code. */
export async function runLab(
  args: readonly string[],
  experiments: readonly Experiment[],
  screen: Screen,
): Promise<number> {
  let exitCode = ALL_MET
  const lab = new Command('lab')
    .description(
      'Runs one experiment: measures the project and compares the results with limits. Exit codes: 0 all limits met, 1 a limit not met, 2 the experiment failed.',
    )
    .usage('<experiment> [options] [--json FILE]')
    .configureOutput({ writeOut: screen.out, writeErr: screen.err })
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run lab -- capture --help\n  $ npm run lab -- capture --markets 200 --minutes 1 --json out/capture.json',
    )
    .version(version, '--version', 'print the version')
    .showHelpAfterError()
    .exitOverride()
  for (const experiment of experiments) {
    lab.addCommand(
      commandFor(experiment, async (settings, jsonFile) => {
        exitCode = await runExperiment(experiment, settings, jsonFile, screen)
      }).copyInheritedSettings(lab),
    )
  }
  try {
    await lab.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ALL_MET : FAILED
    throw error
  }
  return exitCode
}

function commandFor(
  experiment: Experiment,
  act: (settings: Settings, jsonFile: string | undefined) => Promise<void>,
): Command {
  const command = new Command(experiment.name)
    .description(experiment.summary)
    .version(version, '--version', 'print the version')
    .addHelpText('after', `\nExample:\n  $ npm run lab -- ${experiment.name} --json out/${experiment.name}.json`)
  for (const [name, option] of Object.entries(experiment.options)) {
    const placeholder = typeof option.default === 'number' ? '<number>' : '<text>'
    const flag = new Flag(`--${toKebab(name)} ${placeholder}`, option.description).default(option.default)
    command.addOption(flag.argParser((text) => readValue(text, option)))
  }
  command.option('--json <file>', 'also write settings, bounds and series to this file')
  return command.action(async (given: Record<string, number | string>) => {
    const { json, ...settings } = given
    await act(settings, json === undefined ? undefined : String(json))
  })
}

function readValue(text: string, option: Option): number | string {
  if (typeof option.default === 'string') {
    if (text === '') throw new InvalidArgumentError('Must not be empty.')
    if (option.oneOf?.includes(text) === false)
      throw new InvalidArgumentError(`Must be one of ${option.oneOf.join(', ')}.`)
    return text
  }
  if (!NUMBER.test(text)) throw new InvalidArgumentError(`Must be a number, such as ${option.default}.`)
  const value = Number(text)
  if (option.atLeast !== undefined && value < option.atLeast)
    throw new InvalidArgumentError(`Must be at least ${option.atLeast}.`)
  return value
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
