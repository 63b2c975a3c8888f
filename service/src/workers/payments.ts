import { setTimeout as sleep } from 'node:timers/promises'
import type { ObservedPayment } from '../domain/invoice.ts'
import type { DueInvoice, InvoiceChecks, Settled } from '../stores/money/invoice-checks.ts'
import type { Invoices } from '../stores/money/invoices.ts'

export interface PaymentsMeter {
  settled(invoice: DueInvoice, outcome: Settled): void
  /** The processor or the store failed; the check is retried. */
  failed(error: unknown, invoice?: DueInvoice): void
}

export interface PaymentsDeps {
  readonly invoices: Pick<Invoices, 'giveUpUnmade' | 'deleteFailed'>
  readonly checks: Pick<InvoiceChecks, 'take' | 'settle' | 'postpone'>
  /** Payment processors that are configured. */
  readonly providers: readonly string[]
  readonly fetchInvoice: (invoice: DueInvoice, signal: AbortSignal) => Promise<ObservedPayment | undefined>
  readonly meter: PaymentsMeter
  readonly options?: Partial<PaymentsOptions>
}

export interface PaymentsOptions {
  /** Pause when no invoice is due. */
  readonly idleMs: number
  /** How long a taken invoice is reserved for this worker; longer than a processor may take to answer. */
  readonly takenForMs: number
  /** After this time, an invoice that the processor never confirmed to have created is given up. */
  readonly unmadeForMs: number
}

const DEFAULTS: PaymentsOptions = { idleMs: 1_000, takenForMs: 30_000, unmadeForMs: 600_000 }
const AT_ONCE = 8

/**
 * Checks invoices at their payment processor, after a callback or when a check is due, and grants what was paid.
 * All progress is in the store: after a crash another worker continues, and several workers may run at once.
 */
export async function runPayments(deps: PaymentsDeps, signal: AbortSignal): Promise<void> {
  const { idleMs, takenForMs, unmadeForMs } = { ...DEFAULTS, ...deps.options }
  while (!signal.aborted) {
    let taken: DueInvoice[] = []
    try {
      taken = await deps.checks.take(deps.providers, AT_ONCE, takenForMs)
      if (taken.length === 0) {
        await deps.invoices.giveUpUnmade(unmadeForMs)
        await deps.invoices.deleteFailed()
      }
    } catch (error) {
      deps.meter.failed(error)
    }
    await Promise.all(taken.map((invoice) => check(deps, invoice, signal)))
    if (taken.length === 0) await sleep(idleMs, undefined, { signal }).catch(() => {})
  }
}

async function check(
  { checks, fetchInvoice, meter }: PaymentsDeps,
  invoice: DueInvoice,
  signal: AbortSignal,
): Promise<void> {
  try {
    const seen = await fetchInvoice(invoice, signal)
    meter.settled(invoice, await checks.settle(invoice, seen))
  } catch (error) {
    meter.failed(error, invoice)
    // If this fails too, the invoice is due again after `takenForMs`.
    await checks.postpone(invoice).catch((again: unknown) => meter.failed(again, invoice))
  }
}
