import { setTimeout as sleep } from 'node:timers/promises'
import type { Sighting } from '../domain/invoice.ts'
import type { DueInvoice, InvoiceChecks, Settled } from '../stores/money/invoice-checks.ts'
import type { Invoices } from '../stores/money/invoices.ts'

export interface PaymentsMeter {
  settled(invoice: DueInvoice, outcome: Settled): void
  /** The processor or the store did not answer; it is tried again. */
  failed(error: unknown, invoice?: DueInvoice): void
}

export interface PaymentsDeps {
  readonly invoices: Pick<Invoices, 'giveUpUnmade'>
  readonly checks: Pick<InvoiceChecks, 'take' | 'settle' | 'postpone'>
  /** Whose invoices can be asked about. */
  readonly providers: readonly string[]
  readonly fetchInvoice: (invoice: DueInvoice, signal: AbortSignal) => Promise<Sighting | undefined>
  readonly meter: PaymentsMeter
  readonly options?: Partial<PaymentsOptions>
}

export interface PaymentsOptions {
  /** How long to rest when nothing is due. */
  readonly idleMs: number
  /** How long an invoice is left to whoever took it; longer than its processor may take to answer. */
  readonly takenForMs: number
  /** How long an invoice may be about to be made. */
  readonly unmadeForMs: number
}

const USUAL: PaymentsOptions = { idleMs: 1_000, takenForMs: 30_000, unmadeForMs: 600_000 }
const AT_ONCE = 8

/**
 * Asks processors about invoices that there is news of or that have been silent for long, and gives what was paid.
 * Everything between two steps is in the store: whoever ends in the middle leaves the invoice to the next, and any
 * number may run at once.
 */
export async function runPayments(deps: PaymentsDeps, signal: AbortSignal): Promise<void> {
  const { idleMs, takenForMs, unmadeForMs } = { ...USUAL, ...deps.options }
  while (!signal.aborted) {
    let taken: DueInvoice[] = []
    try {
      taken = await deps.checks.take(deps.providers, AT_ONCE, takenForMs)
      if (taken.length === 0) await deps.invoices.giveUpUnmade(unmadeForMs)
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
    // If even this fails, it comes back by itself when the time it was taken for is over.
    await checks.postpone(invoice).catch((again: unknown) => meter.failed(again, invoice))
  }
}
