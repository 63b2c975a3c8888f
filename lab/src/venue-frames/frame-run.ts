/** A frame after which something was wrong, shortened. */
export interface BadFrame {
  readonly venue: string
  readonly problem: string
  readonly frame: string
}

const KEPT = 10
const SHOWN = 1_500
const PROTOTYPES = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Number.prototype,
  Map.prototype,
]

/** Counts what changed frames lead to. */
export class FrameRun {
  frames = 0
  crashes = 0
  books = 0
  invalidBooks = 0
  readonly bad: BadFrame[] = []
  readonly #counts = new Map<string, number>()
  readonly #membersBefore = memberCount()
  #last = { venue: '', frame: '' }

  count(outcome: string): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1)
  }

  /** Decodes and applies one frame; a frame must never throw. */
  frame(venue: string, text: string, take: () => void): void {
    this.frames++
    this.#last = { venue, frame: text }
    try {
      take()
    } catch (error) {
      this.crashes++
      this.#keep(String(error))
    }
  }

  published(problem: string | undefined): void {
    this.books++
    if (problem === undefined) return
    this.invalidBooks++
    this.#keep(`invalid book: ${problem}`)
  }

  /** Members that the frames added to or removed from the prototypes that all objects share. */
  get prototypeChanges(): number {
    return Math.abs(memberCount() - this.#membersBefore)
  }

  get counts(): Record<string, number> {
    return Object.fromEntries(this.#counts)
  }

  #keep(problem: string): void {
    const { venue, frame } = this.#last
    if (this.bad.length < KEPT) this.bad.push({ venue, problem, frame: frame.slice(0, SHOWN) })
  }
}

function memberCount(): number {
  return PROTOTYPES.flatMap((prototype) => Reflect.ownKeys(prototype)).length
}
