/**
 * When the contrast is chosen from what is on the screen: after a change of the view, and while stored columns are
 * loaded into it. New columns of a stream never change it, because colours that change by themselves can't be compared.
 */
export class ViewChoice {
  #known = 0
  #loaded = 0

  /** The view has changed. */
  again(): void {
    this.#known = 0
  }

  /** `known` columns are on the screen; `loaded` ones came from storage so far. Counts as chosen when it is due. */
  isDue(known: number, loaded: number): boolean {
    if (known === 0 || (this.#known > 0 && loaded - this.#loaded < this.#known)) return false
    this.#known = known
    this.#loaded = loaded
    return true
  }
}
