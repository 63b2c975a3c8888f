/** What the service does where the interface is open or contradicts itself, or instead of what it says. */
export interface Choice {
  readonly choice: string
  readonly reason: string
  /** The service does not do what the sentence says. */
  readonly differs: boolean
}

/** A test outside of the claims. */
export interface NamedTest {
  readonly file: string
  /** As written in the file. */
  readonly title: string
}

/** The id of a claim, or another test. */
export type Proof = string | NamedTest

/** One sentence or table row of the interface, and how it is kept. */
export interface Statement {
  /** Section and number in the order of the interface, such as `2.2-07`; `open` for what it does not mention. */
  readonly id: string
  /** The fact, in our own words. */
  readonly says: string
  readonly kept: 'exact' | readonly Choice[]
  readonly shownBy: readonly Proof[]
}

/** Ids of claims, separated by spaces, and other tests. */
type Proofs = readonly [string | NamedTest, ...(string | NamedTest)[]]

export function exact(id: string, says: string, ...shownBy: Proofs): Statement {
  return { id, says, kept: 'exact', shownBy: each(shownBy) }
}

export function chosen(id: string, says: string, kept: readonly [Choice, ...Choice[]], ...shownBy: Proofs): Statement {
  return { id, says, kept, shownBy: each(shownBy) }
}

function each(proofs: Proofs): Proof[] {
  return proofs.flatMap((proof): Proof[] => (typeof proof === 'string' ? proof.split(' ') : [proof]))
}

export function choice(text: string, reason: string): Choice {
  return { choice: text, reason, differs: false }
}

export function differs(text: string, reason: string): Choice {
  return { choice: text, reason, differs: true }
}

export function namedTest(file: string, title: string): NamedTest {
  return { file, title }
}

export function sectionOf({ id }: Statement): string {
  return id.split('-')[0] ?? ''
}
