import { setTimeout as sleep } from 'node:timers/promises'
import {
  btcPayCallback,
  nowPaymentsCallback,
  type SignedCallback,
  type Webhook,
} from '@bookreel/simulator/payments/callback-text'
import type { SimulatedInvoice } from '@bookreel/simulator/payments/invoice-book'
import { type Random, random } from '@bookreel/simulator/world/random'
import type { Progress } from '../experiment.ts'
import { percentile } from '../percentile.ts'
import { type Audit, audit, untilSettled } from './audit.ts'
import { hostileBody } from './hostile-bodies.ts'
import type { LabInvoice, PaymentBench, Provider } from './payment-bench.ts'

export interface Storm extends Audit {
  readonly sent: number
  /** Callbacks with a wrong signature or of other bytes that were accepted. */
  readonly forgeriesTaken: number
  /** Signed callbacks that did not get 200. */
  readonly signedRefused: number
  /** Answers of 500 and above, other than a documented 503. */
  readonly failures: number
  readonly hostile: number
  readonly perSecond: number
  readonly p99Ms: number
  readonly statuses: Readonly<Record<string, number>>
}

interface Bent extends Omit<SignedCallback, 'url' | 'body'> {
  readonly body: string | Buffer
  readonly isSigned: boolean
}

const INVOICES = 40
const AT_ONCE = 16
const MOST_TRIES = 20
const RETRY_MS = 250
/** Share of the unsigned callbacks. */
const HOSTILE = 0.5
const HEX = /[0-9a-f]{64,}/i

/**
 * Callbacks that claim "paid": replayed, changed, signed with another secret, and some that the processor signed
 * although they are false. Half of the invoices are paid; the ledger must follow the processor's API, not its callbacks.
 */
export async function callbackStorm(
  bench: PaymentBench,
  { callbacks, seed }: { callbacks: number; seed: string },
  progress: Progress,
): Promise<Storm> {
  const draw = random(seed, 'storm')
  await bench.delivery({ lose: true })
  const invoices: LabInvoice[] = []
  const told = new Map<LabInvoice, SimulatedInvoice>()
  const paid = new Set<LabInvoice>()
  for (let index = 0; index < INVOICES; index++) {
    const provider: Provider = index % 2 === 0 ? 'nowpayments' : 'btcpay'
    const invoice = await bench.newInvoice(provider, index % 3 === 0 ? 'pro_monthly' : 'credits_10k')
    invoices.push(invoice)
    const isPaid = index % 4 < 2
    const truth = await bench.happen(invoice, { act: isPaid ? 'pay' : 'begin' })
    if (isPaid) paid.add(invoice)
    told.set(invoice, { ...truth, ...LIES[provider], paidShare: 1 })
  }
  const statuses = new Map<number, number>()
  const tookMs: number[] = []
  let [next, forgeriesTaken, signedRefused, failures, hostile] = [0, 0, 0, 0, 0]
  const fromMs = performance.now()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next++ < callbacks) {
        const invoice = draw.pick(invoices)
        const lie = told.get(invoice)
        if (lie === undefined) continue
        const { body, headers, isSigned } = bend(lie, bench.webhook, draw)
        const { status, ms } = await callUntilTaken(bench, invoice.provider, body, { ...headers })
        tookMs.push(ms)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (isSigned && status !== 200) signedRefused++
        if (!isSigned && status < 400) forgeriesTaken++
        if (status >= 500 && status !== 503) failures++
        if (Buffer.isBuffer(body)) hostile++
        progress(`${tookMs.length} of ${callbacks} callbacks`)
      }
    }),
  )
  const seconds = (performance.now() - fromMs) / 1_000
  // Makes all invoices due, because some got no signed callback.
  for (const invoice of invoices) await bench.askAgain(invoice)
  await untilSettled(bench, invoices, (invoice) => paid.has(invoice), 180_000)
  return {
    sent: tookMs.length,
    forgeriesTaken,
    signedRefused,
    failures,
    hostile,
    perSecond: Math.round(tookMs.length / seconds),
    p99Ms: Math.round(percentile(tookMs, 0.99)),
    statuses: Object.fromEntries(statuses),
    ...(await audit(bench, invoices, (invoice) => paid.has(invoice))),
  }
}

/** Retries a callback that was refused temporarily, as the processors do. Returns how long the last try took. */
async function callUntilTaken(
  bench: PaymentBench,
  provider: Provider,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<{ status: number; ms: number }> {
  for (let tries = 1; ; tries++) {
    const fromMs = performance.now()
    const { status } = await bench.call(provider, body, headers)
    if (status !== 503 || tries === MOST_TRIES) return { status, ms: performance.now() - fromMs }
    await sleep(RETRY_MS)
  }
}

const LIES = { nowpayments: { status: 'finished' }, btcpay: { status: 'Settled' } } as const

function bend(lie: SimulatedInvoice, webhook: Webhook, draw: Random): Bent {
  const good =
    lie.processor === 'btcpay'
      ? btcPayCallback(lie, webhook)
      : nowPaymentsCallback(lie, draw.chance(0.5) ? 'recursive' : 'replacer')
  if (good === undefined) throw new Error('the invoice has no callback address')
  if (draw.chance(0.2)) return { ...good, isSigned: true }
  if (draw.chance(HOSTILE)) {
    const { body, contentType } = hostileBody(draw)
    return { body, headers: { ...good.headers, 'content-type': contentType }, isSigned: false }
  }
  return { ...draw.pick(BENDS)(good, draw), isSigned: false }
}

/** Changes after which the signature is wrong. */
const BENDS: readonly ((good: SignedCallback, draw: Random) => SignedCallback)[] = [
  (good, draw) => ({ ...good, body: good.body.replace(/"(orderId|order_id)":"./, `"$1":"${draw.whole(10, 99)}`) }),
  (good) => ({ ...good, body: good.body.replace(/"(invoiceId|invoice_id)":"?\w/, '$&9') }),
  (good, draw) => withHex(good, (hex) => flip(hex, draw)),
  (good) => withHex(good, (hex) => hex.slice(0, -2)),
  (good) => withHex(good, (hex) => `${hex}00`),
  (good) => withHex(good, () => ''),
  (good) => withHex(good, (hex) => hex.toUpperCase().replaceAll(/[A-F]/g, '0')),
  (good) => ({ ...good, headers: {} }),
  (good) => ({ ...good, body: '' }),
  (good) => ({ ...good, body: good.body.slice(0, -1) }),
  (good) => ({ ...good, body: `[${good.body}]` }),
  (good) => ({ ...good, body: good.body.replace(/"(payment_status|type)":"/, '"$1":"x') }),
]

function withHex(good: SignedCallback, change: (hex: string) => string): SignedCallback {
  const headers = Object.entries(good.headers).map(([name, value]) => [name, value.replace(HEX, change)])
  return { ...good, headers: Object.fromEntries(headers) }
}

function flip(hex: string, draw: Random): string {
  const at = draw.whole(0, hex.length - 1)
  return `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`
}
