import { InvalidArgumentError } from 'commander'

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`)
  }
}

/** In any case, as it is written in the list. */
export function oneOf<const T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((each) => each.toLowerCase() === text.toLowerCase())
    if (choice !== undefined) return choice
    throw new InvalidArgumentError(`Give one of: ${choices.join(', ')}.`)
  }
}

/** Several with commas. */
export function someOf<const T extends string>(choices: readonly T[]): (text: string) => T[] {
  const read = oneOf(choices)
  return (text) => text.split(',').map((each) => read(each.trim()))
}

export const SIDES = ['UP', 'DOWN'] as const
export const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities'] as const
