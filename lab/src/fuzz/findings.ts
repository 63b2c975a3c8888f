/** A request and what was wrong with its response. */
export interface Failure {
  readonly index: number
  readonly kind: string
  readonly request: string
  readonly status: number | 'no answer'
  readonly problem: string
  readonly answer: string
}

const KEPT_OF_A_KIND = 3
const SHOWN = 1_500

/** Counts by route and status, and keeps the first failures of each kind with what is needed to reproduce them. */
export class Findings {
  readonly failures: Failure[] = []
  serverErrors = 0
  /** 503: overloaded, or a store is unavailable. */
  tooBusy = 0
  breaches = 0
  unanswered = 0
  readonly #counts = new Map<string, Map<string, number>>()
  readonly #sorts = new Map<string, number>()
  readonly #served = new Set<string>()

  count(route: string, status: number | string): void {
    const counts = this.#counts.get(route) ?? new Map<string, number>()
    counts.set(String(status), (counts.get(String(status)) ?? 0) + 1)
    this.#counts.set(route, counts)
  }

  noteStatus(status: number): void {
    if (status === 503) this.tooBusy++
    else if (status >= 500) this.serverErrors++
  }

  /** The operation answered with success. */
  noteServed(operation: string): void {
    this.#served.add(operation)
  }

  neverServed(operations: readonly { readonly id: string }[]): string[] {
    return operations.map(({ id }) => id).filter((id) => !this.#served.has(id))
  }

  fail(route: string, failure: Failure): void {
    const sort = `${route} ${failure.status} ${failure.problem.replaceAll(/\d+/g, '0')}`
    const before = this.#sorts.get(sort) ?? 0
    this.#sorts.set(sort, before + 1)
    if (before < KEPT_OF_A_KIND) {
      const { request, answer } = failure
      this.failures.push({ ...failure, request: request.slice(0, SHOWN), answer: answer.slice(0, SHOWN) })
    }
  }

  distribution(): Record<string, Record<string, number>> {
    const sorted = [...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(sorted.map(([route, counts]) => [route, Object.fromEntries(counts)]))
  }

  /** By kind, the most frequent first. */
  sorts(): { sort: string; count: number }[] {
    const all = [...this.#sorts].map(([sort, count]) => ({ sort, count }))
    return all.sort((one, other) => other.count - one.count)
  }

  /** Text report. */
  lines(): string[] {
    const lines = Object.entries(this.distribution()).map(([route, counts]) => {
      const texts = Object.entries(counts).map(([status, count]) => `${status}: ${count}`)
      return `  ${route.padEnd(44)} ${texts.join('  ')}`
    })
    const failed = this.sorts().map(({ sort, count }) => `  ${count} × ${sort}`)
    const cases = this.failures.map(
      ({ index, kind, request, status, problem, answer }) =>
        `\n  #${index} (${kind}) ${status}: ${problem}\n    ${request}\n    → ${JSON.stringify(answer)}`,
    )
    return [
      'answers by route and status',
      ...lines,
      ...(failed.length > 0 ? ['', 'what failed', ...failed, ...cases] : []),
    ]
  }
}
