import { type AnswerFacts, Bookreel } from '@bookreel/sdk'
import type { Command } from 'commander'
import { type GivenOptions, readSettings, type Settings } from './settings.ts'
import { Interrupted, type Terminal } from './terminal.ts'

/** One run of one command. */
export interface Invocation {
  readonly terminal: Terminal
  readonly settings: Settings
  readonly client: Bookreel
  readonly isJson: boolean
  /** Aborted by Ctrl-C or a termination signal. */
  readonly signal: AbortSignal
  /** Response headers of the last request. */
  readonly facts: { last: AnswerFacts | undefined }
}

export type Begin = (command: Command) => Invocation

interface GlobalOptions extends GivenOptions {
  readonly json?: true
}

export function invocationFactory(
  terminal: Terminal,
  signal: AbortSignal,
  onSettings: (settings: Settings) => void,
): Begin {
  return (command) => {
    const given = command.optsWithGlobals<GlobalOptions>()
    const settings = readSettings(given, terminal.variables)
    onSettings(settings)
    const facts: Invocation['facts'] = { last: undefined }
    const client = new Bookreel({
      baseUrl: settings.url,
      key: settings.key,
      signal,
      onAnswer: (answer) => {
        facts.last = answer
      },
    })
    return { terminal, settings, client, isJson: given.json === true, signal, facts }
  }
}

/** Streams end without an error when their signal fires; this turns the interruption into an exit code. */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted()
}
