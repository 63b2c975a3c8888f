import { Counter, type Registry } from 'prom-client'

/** Several roles of a process may share a registry, which refuses a second metric of the same name. */
const known = new WeakMap<Registry, Counter>()

/** The metric of the catalogue in the memory of an API or gateway. */
export function missedMarketCounter(registry: Registry): Counter {
  const counter =
    known.get(registry) ??
    new Counter({
      name: 'catalogue_missed_markets_total',
      help: 'Markets that differed in memory from PostgreSQL although no update of them was waiting, found and corrected by the comparison every 10 minutes',
      registers: [registry],
    })
  known.set(registry, counter)
  return counter
}
