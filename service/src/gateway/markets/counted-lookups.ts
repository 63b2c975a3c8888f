import type { SelectorDeps } from './resolve-selectors.ts'

/** The same sources; `count` is called before every question to a database, and may throw. */
export function withCountedLookups(sources: SelectorDeps, count: () => void): SelectorDeps {
  return {
    ...sources,
    markets: countedCalls(sources.markets, count),
    recordedMarkets: countedCalls(sources.recordedMarkets, count),
  }
}

function countedCalls<Store extends object>(store: Store, count: () => void): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...values: unknown[]): unknown => {
        count()
        return member.apply(target, values)
      }
    },
  })
}
