/** One defence against a threat or for an invariant, and the test that fails when the defence is removed. */
export interface ThreatEntry {
  /** T1 to T35 are threats, I1 to I37 invariants; docs/security.md describes them. */
  readonly id: string
  /** What the service does, in plain words. */
  readonly defence: string
  /** Removes the defence: `text` occurs exactly once in `file` (from the root of the project). */
  readonly removal: { readonly file: string; readonly text: string; readonly replacement: string }
  /** Path from the root of the project, and a part of the test's name as its file has it, without placeholders such as %s. */
  readonly test: { readonly file: string; readonly name: string }
}
