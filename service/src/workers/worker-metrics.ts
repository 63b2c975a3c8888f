import { Counter, Gauge, type Registry } from 'prom-client'

export function hotRowCounter(registry: Registry) {
  return new Counter({
    name: 'hot_rows_total',
    help: 'Rows for the newest books in Redis, by outcome',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
}

export function hotGroupGauge(registry: Registry) {
  return new Gauge({
    name: 'hot_groups',
    help: 'Groups of shards whose newest rows this process writes to Redis; the sum of all processes is the number of streams of rows',
    registers: [registry],
  })
}

export function catalogueMessageCounter(registry: Registry) {
  return new Counter({
    name: 'catalogue_messages_total',
    help: 'Market updates by the store they are written to and their outcome',
    labelNames: ['store', 'outcome'] as const,
    registers: [registry],
  })
}

export function paymentCheckCounter(registry: Registry) {
  return new Counter({
    name: 'payment_checks_total',
    help: 'Invoice lookups at a payment processor, by outcome',
    labelNames: ['provider', 'outcome'] as const,
    registers: [registry],
  })
}

export function probeCounter(registry: Registry) {
  return new Counter({
    name: 'prober_probes_total',
    help: 'Probes by service and the state that was found',
    labelNames: ['service', 'state'] as const,
    registers: [registry],
  })
}
