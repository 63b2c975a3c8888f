/** A small defect: one text in one file of the source is replaced by another. */
export interface Defect {
  /** What is wrong afterwards, in plain words. */
  readonly name: string
  /** From the root of the project. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly text: string
  readonly replacement: string
}

/** The content of the file with the defect; throws when the text does not occur exactly once. */
export function withDefect(content: string, { name, file, text, replacement }: Defect): string {
  const pieces = content.split(text)
  if (pieces.length !== 2) {
    throw new Error(`The defect "${name}" cannot be applied: its text occurs ${pieces.length - 1} times in ${file}.`)
  }
  return pieces.join(replacement)
}

export type Change = readonly [name: string, text: string, replacement: string]

/** Defects in one file below `service/src/`. */
export function defectsIn(path: string, ...changes: readonly Change[]): Defect[] {
  return changes.map(([name, text, replacement]) => ({ name, file: `service/src/${path}`, text, replacement }))
}
