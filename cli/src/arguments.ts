import { InvalidArgumentError } from 'commander'

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`)
  }
}

/** Matches without regard to upper or lower case; returns the spelling of the list. */
export function oneOf<const T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((each) => each.toLowerCase() === text.toLowerCase())
    if (choice !== undefined) return choice
    throw new InvalidArgumentError(`Must be one of: ${choices.join(', ')}.`)
  }
}

/** Parses a comma-separated list. */
export function someOf<const T extends string>(choices: readonly T[]): (text: string) => T[] {
  const read = oneOf(choices)
  return (text) => text.split(',').map((each) => read(each.trim()))
}

export const SIDES = ['UP', 'DOWN'] as const
export const VENUES = ['polymarket', 'kalshi', 'all'] as const
export const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities'] as const
