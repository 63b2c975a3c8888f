import { btcPayCallback, nowPaymentsCallback, type SignedCallback } from '@bookreel/simulator/payments/callback-text'
import type { SimulatedInvoice } from '@bookreel/simulator/payments/invoice-book'
import { type Random, random } from '@bookreel/simulator/world/random'
import type { Progress } from '../experiment.ts'
import { type Audit, audit, untilSettled } from './audit.ts'
import type { LabInvoice, PaymentBench, Provider } from './payment-bench.ts'

export interface Walks extends Audit {
  readonly walks: number
  readonly paid: number
  readonly callbacks: number
  /** Invoices without any callback. */
  readonly silent: number
  readonly settledWithinMs: number
}

interface Step {
  readonly status: string
  readonly additionalStatus?: string
  readonly paidShare: number
}

/** Sequences of states of each processor, and whether the invoice is paid in the end. */
const WALKS: Record<Provider, readonly { readonly steps: readonly Step[]; readonly isPaid: boolean }[]> = {
  nowpayments: [
    { steps: walk(['waiting', 0], ['confirming', 1], ['confirmed', 1], ['sending', 1], ['finished', 1]), isPaid: true },
    { steps: walk(['waiting', 0], ['finished', 1.2]), isPaid: true },
    { steps: walk(['waiting', 0], ['partially_paid', 0.4], ['confirming', 1], ['finished', 1]), isPaid: true },
    { steps: walk(['waiting', 0], ['expired', 0], ['confirming', 1], ['finished', 1]), isPaid: true },
    { steps: walk(['waiting', 0], ['confirming', 0.9], ['partially_paid', 0.9]), isPaid: false },
    { steps: walk(['waiting', 0], ['finished', 0.5]), isPaid: false },
    { steps: walk(['waiting', 0], ['expired', 0]), isPaid: false },
    { steps: walk(['waiting', 0], ['confirming', 1], ['failed', 1]), isPaid: false },
    { steps: walk(['waiting', 0], ['confirming', 1], ['blessed', 1]), isPaid: false },
  ],
  btcpay: [
    { steps: walk(['New', 0], ['Processing', 1], ['Settled', 1]), isPaid: true },
    { steps: walk(['New', 0.5], ['Processing', 1.5, 'PaidOver'], ['Settled', 1.5, 'PaidOver']), isPaid: true },
    { steps: walk(['New', 0], ['Expired', 1, 'PaidLate'], ['Settled', 1, 'Marked']), isPaid: true },
    { steps: walk(['New', 0.3], ['Expired', 0.3, 'PaidPartial']), isPaid: false },
    { steps: walk(['New', 0], ['Expired', 1, 'PaidLate']), isPaid: false },
    { steps: walk(['New', 0], ['Processing', 1], ['Invalid', 1]), isPaid: false },
  ],
}

function walk(...steps: readonly (readonly [status: string, paidShare: number, additionalStatus?: string])[]): Step[] {
  return steps.map(([status, paidShare, additionalStatus = 'None']) => ({ status, paidShare, additionalStatus }))
}

const AT_ONCE = 8
const LOST = 0.3
const MOST_COPIES = 3

/** Invoices whose callbacks are lost, repeated and reordered, before, between and after the state changes. */
export async function shuffledWalks(
  bench: PaymentBench,
  { walks, seed }: { walks: number; seed: string },
  progress: Progress,
): Promise<Walks> {
  const draw = random(seed, 'walks')
  await bench.delivery({ lose: true })
  const invoices: LabInvoice[] = []
  const paid = new Set<LabInvoice>()
  let [next, callbacks, silent] = [0, 0, 0]
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next++ < walks) {
        const provider = draw.pick(['nowpayments', 'btcpay'] as const)
        const invoice = await bench.newInvoice(provider, draw.pick(['credits_10k', 'pro_monthly', 'scale_annual']))
        const { steps, isPaid } = draw.pick(WALKS[provider])
        invoices.push(invoice)
        if (isPaid) paid.add(invoice)
        const sent = await goThrough(bench, invoice, steps, draw)
        callbacks += sent
        if (sent === 0) silent++
        // Makes invoices due, so that those without a callback are polled.
        await bench.askAgain(invoice)
        progress(`${invoices.length} of ${walks} walks, ${callbacks} callbacks`)
      }
    }),
  )
  const isPaid = (invoice: LabInvoice): boolean => paid.has(invoice)
  const settledWithinMs = await untilSettled(bench, invoices, isPaid, 120_000)
  return {
    walks: invoices.length,
    paid: paid.size,
    callbacks,
    silent,
    settledWithinMs: Math.round(settledWithinMs),
    ...(await audit(bench, invoices, isPaid)),
  }
}

async function goThrough(
  bench: PaymentBench,
  invoice: LabInvoice,
  steps: readonly Step[],
  draw: Random,
): Promise<number> {
  const waiting: SignedCallback[] = []
  let sent = 0
  const send = async (share: number): Promise<void> => {
    for (let left = Math.floor(waiting.length * share); left > 0; left--) {
      const [callback] = waiting.splice(draw.whole(0, waiting.length - 1), 1)
      if (callback === undefined) return
      await bench.call(invoice.provider, callback.body, { ...callback.headers })
      sent++
    }
  }
  const isSilent = draw.chance(0.1)
  for (const step of steps) {
    const truth = await bench.happen(invoice, step)
    if (!isSilent && !draw.chance(LOST)) waiting.push(...copies(bench, truth, draw.whole(1, MOST_COPIES)))
    await send(draw.next() / 2)
  }
  await send(1)
  return sent
}

function copies({ webhook }: PaymentBench, truth: SimulatedInvoice, count: number): SignedCallback[] {
  const make = (): SignedCallback | undefined =>
    truth.processor === 'btcpay' ? btcPayCallback(truth, webhook) : nowPaymentsCallback(truth, 'recursive')
  return Array.from({ length: count }, make).filter((each) => each !== undefined)
}
