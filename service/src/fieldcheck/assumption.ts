/** Something that a venue does, as far as we know. */
export interface Assumption {
  /** What we believe, in one sentence. */
  readonly says: string
  /** Whether the recorder works wrongly if it is not so. */
  readonly isRelied: boolean
  /** What is counted as evidence. */
  readonly counts: string
  /** Share of the observations that may differ; the default is none. */
  readonly mostAgainst?: number
  /** Why a run may see nothing of it. */
  readonly seldom?: string
}

export type Verdict = 'confirmed' | 'contradicted' | 'not seen'

export interface Finding {
  readonly id: string
  readonly says: string
  readonly isRelied: boolean
  readonly verdict: Verdict
  readonly observations: number
  readonly contradictions: number
  readonly evidence: string
  /** What contradicted the assumption, or one of the observations; shortened. */
  readonly example?: string
}
