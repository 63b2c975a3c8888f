import { InvalidArgumentError, Option } from 'commander'

export const jsonOption = () => new Option('--json', 'print the result as JSON')

export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.')
  return value
}

export function instant(text: string): number {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw new InvalidArgumentError('It must be a time such as 2027-01-31T00:00:00Z.')
  return atMs
}
