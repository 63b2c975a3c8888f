const WINDOW_MS = 1_000
const LEAST_MARKETS = 10
/** From this share of failed checks on, the rule has changed; a lost frame fails the checks of one market only. */
const FAILED_SHARE = 0.5
/** With a wrong book the venue's best prices differ from ours too; with a new rule they do not. */
const MOST_ECHO_SHARE = 0.1

interface Window {
  checks: number
  failures: number
  otherEchoes: number
  failedMarkets: Set<string>
}

/**
 * Notices that the venue has changed what it hashes: then the hashes of many markets fail at once, although our best
 * prices agree with those that the venue sends. Shared by all books of the venue.
 */
export class HashRuleWatch {
  #isChanged = false
  #changedAtMs: number | undefined
  #windowAtMs = 0
  #before: Window = emptyWindow()
  #current: Window = emptyWindow()

  /** Whether the rule had changed by then; what was checked before is soon replaced. */
  restore(changedAtMs: number | undefined): void {
    this.#isChanged = changedAtMs !== undefined
    this.#changedAtMs = changedAtMs
  }

  /** Whether hashes can't prove books at the moment; rows are then recorded as unverified. */
  get isChanged(): boolean {
    return this.#isChanged
  }

  get changedAtMs(): number | undefined {
    return this.#changedAtMs
  }

  proved(atMs: number): void {
    this.#rotate(atMs)
    this.#current.checks++
  }

  /** `isEchoEqual`: our best prices are those that the venue sent with the change. */
  failed(marketId: string, isEchoEqual: boolean, atMs: number): void {
    this.#rotate(atMs)
    this.#current.checks++
    this.#current.failures++
    if (!isEchoEqual) this.#current.otherEchoes++
    this.#current.failedMarkets.add(marketId)
    this.#judge(atMs)
  }

  #rotate(atMs: number): void {
    if (atMs < this.#windowAtMs + WINDOW_MS) return
    // Judged before the window is forgotten: only here is the end of a change noticed.
    this.#judge(atMs)
    this.#before = atMs < this.#windowAtMs + 2 * WINDOW_MS ? this.#current : emptyWindow()
    this.#current = emptyWindow()
    this.#windowAtMs = Math.floor(atMs / WINDOW_MS) * WINDOW_MS
  }

  #judge(atMs: number): void {
    const checks = this.#before.checks + this.#current.checks
    const failures = this.#before.failures + this.#current.failures
    if (this.#isChanged) {
      if (checks >= LEAST_MARKETS && failures < checks * FAILED_SHARE) {
        this.#isChanged = false
        this.#changedAtMs = undefined
      }
      return
    }
    const failedMarkets = new Set([...this.#before.failedMarkets, ...this.#current.failedMarkets]).size
    const otherEchoes = this.#before.otherEchoes + this.#current.otherEchoes
    if (failedMarkets < LEAST_MARKETS || failures < checks * FAILED_SHARE) return
    if (otherEchoes > failures * MOST_ECHO_SHARE) return
    this.#isChanged = true
    this.#changedAtMs = atMs
  }
}

function emptyWindow(): Window {
  return { checks: 0, failures: 0, otherEchoes: 0, failedMarkets: new Set() }
}
