/** Exit codes of the program. */
export const EXIT = {
  ok: 0,
  failure: 1,
  wrongUse: 2,
  notAllowed: 3,
  notFound: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_CODES_HELP = `Exit codes: 0 ok, 1 failure, 2 invalid arguments, 3 not allowed (key, tier or credits), 4 not found, 130 interrupted.`

/** Invalid command-line arguments; the message says what is allowed. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}

/** There is nothing to return; the message says why, and what to do next. */
export class NothingFound extends Error {
  override readonly name = 'NothingFound'
}
