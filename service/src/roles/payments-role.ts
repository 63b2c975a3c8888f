import { CHECK_INTERVALS } from '../domain/invoice.ts'
import { PROCESSOR_NAMES } from '../payments/all-processors.ts'
import { openDatabase } from '../stores/engines/postgres-database.ts'
import { InvoiceChecks } from '../stores/money/invoice-checks.ts'
import { Invoices } from '../stores/money/invoices.ts'
import { openProcessors } from '../wiring/open-processors.ts'
import { runPayments } from '../workers/payments.ts'
import { paymentCheckCounter } from '../workers/worker-metrics.ts'
import type { Role } from './role.ts'

/** Payment processors → PostgreSQL: paid invoices become credits and tiers. */
export const paymentsRole: Role = async ({ config, log, registry }, signal) => {
  const checks = paymentCheckCounter(registry)
  const processors = openProcessors(config)
  const database = openDatabase({
    url: config.DATABASE_URL,
    onTrouble: (error) => log.warn({ err: error, store: 'postgres' }, 'store connection failed'),
  })
  try {
    await runPayments(
      {
        invoices: new Invoices(database),
        checks: new InvoiceChecks(database, CHECK_INTERVALS),
        providers: PROCESSOR_NAMES.filter((name) => processors.byName(name) !== undefined),
        async fetchInvoice(invoice, until) {
          const processor = processors.byName(invoice.provider)
          if (processor === undefined) throw new Error(`the payment processor ${invoice.provider} is not configured`)
          return processor.fetchInvoice(invoice, until)
        },
        meter: {
          settled({ id, provider }, { from, to, granted }) {
            checks.inc({ provider, outcome: granted ? 'granted' : to })
            if (from !== to) log.info({ invoice: id, provider, from, to, granted }, 'invoice state changed')
          },
          failed(error, invoice) {
            if (invoice !== undefined) checks.inc({ provider: invoice.provider, outcome: 'no_answer' })
            log.warn({ err: error, invoice: invoice?.id, provider: invoice?.provider }, 'checking invoice failed')
          },
        },
      },
      signal,
    )
  } finally {
    await database.destroy()
  }
}
