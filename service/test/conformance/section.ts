/** A deviation from the interface, or a choice where the interface contradicts itself. */
export interface Deviation {
  readonly what: string
  readonly why: string
}

/** A summarised part of the interface. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly says: string
  readonly deviations?: readonly Deviation[]
}
