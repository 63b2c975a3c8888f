/** Wrong arguments or settings; the message says what to do. The exit code is 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}
