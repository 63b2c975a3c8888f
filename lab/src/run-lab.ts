import { Command, CommanderError, Option as Flag, InvalidArgumentError } from 'commander'
import type { Experiment, Option, Settings } from './experiment.ts'
import { FAILED, KEPT, runExperiment, type Screen } from './run-experiment.ts'

const NUMBER = /^-?\d+(\.\d+)?$/

/** Understands the command line, runs the experiment it names, and answers with the exit code. */
export async function runLab(
  args: readonly string[],
  experiments: readonly Experiment[],
  screen: Screen,
): Promise<number> {
  let exitCode = KEPT
  const lab = new Command('lab')
    .description('Every measurement of this project, one experiment each.')
    .usage('<experiment> [options] [--json FILE]')
    .configureOutput({ writeOut: screen.out, writeErr: screen.err })
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
    if (error instanceof CommanderError) return error.exitCode === 0 ? KEPT : FAILED
    throw error
  }
  return exitCode
}

function commandFor(
  experiment: Experiment,
  act: (settings: Settings, jsonFile: string | undefined) => Promise<void>,
): Command {
  const command = new Command(experiment.name).description(experiment.summary)
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
    if (text === '') throw new InvalidArgumentError('It must not be empty.')
    return text
  }
  if (!NUMBER.test(text)) throw new InvalidArgumentError(`A plain number is expected, such as ${option.default}.`)
  const value = Number(text)
  if (option.atLeast !== undefined && value < option.atLeast)
    throw new InvalidArgumentError(`It must be at least ${option.atLeast}.`)
  return value
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
