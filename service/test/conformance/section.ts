/** Where we do something else than the interface says, or it says two things and we had to choose. */
export interface Deviation {
  readonly what: string
  readonly why: string
}

/** A part of the interface in our own words. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly says: string
  readonly deviations?: readonly Deviation[]
}
