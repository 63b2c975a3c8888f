import { randomUUID } from 'node:crypto'

export type ProcessorName = 'nowpayments' | 'btcpay'

/** An invoice as its processor sees it. */
export interface SimulatedInvoice {
  readonly processor: ProcessorName
  readonly id: string
  readonly paymentId: string
  /** Of a further deposit to the address of a payment. */
  readonly parentPaymentId: string | undefined
  readonly payCurrency: string
  /** NOWPayments: whether the shop asked for a fixed rate. */
  readonly isFixedRate: boolean
  /** BTCPay: the number of confirmations that the shop waits for, in the words of its API. */
  readonly speedPolicy: string | undefined
  /** Further deposits, as payments of their own. Only NOWPayments has them. */
  readonly children: SimulatedInvoice[]
  readonly orderId: string
  readonly price: number
  readonly currency: string
  readonly description: string
  /** Where NOWPayments was told to call; BTCPay has webhooks of the store. */
  readonly callbackUrl: string | undefined
  /** Where the payer returns to after the payment. */
  readonly returnUrl: string | undefined
  /** Undefined: the shop set no deadline. */
  readonly lifeMinutes: number | undefined
  readonly createdAtMs: number
  updatedAtMs: number
  /** In the processor's own words. */
  status: string
  additionalStatus: string
  /** What came, as a share of what was asked for. */
  paidShare: number
  /** What reaches the shop, as a share of what was paid. */
  outcomeShare: number
  /** Whether anyone has chosen a coin: before, NOWPayments has no payment to tell of. */
  isBegun: boolean
  /** HTTP status with which the shop answered the last callback; 0: no answer; undefined: none was sent. */
  callbackStatus: number | undefined
}

export interface Step {
  readonly status: string
  readonly additionalStatus?: string
  readonly paidShare?: number
  readonly outcomeShare?: number
  /** Money that comes as a further deposit, in this coin; the invoice itself does not change. */
  readonly deposit?: { readonly payCurrency: string; readonly share: number }
}

export type InvoiceOrder = Pick<
  SimulatedInvoice,
  | 'processor'
  | 'orderId'
  | 'price'
  | 'currency'
  | 'description'
  | 'callbackUrl'
  | 'returnUrl'
  | 'lifeMinutes'
  | 'payCurrency'
  | 'isFixedRate'
  | 'speedPolicy'
>

/** After the fees of the processor. */
const USUAL_OUTCOME = 0.995
const FIRST_STATUS: Record<ProcessorName, string> = { nowpayments: 'waiting', btcpay: 'New' }

/** Every invoice of both processors, and who is told when one moves. */
export class InvoiceBook {
  readonly #invoices = new Map<string, SimulatedInvoice>()
  readonly #tell: (invoice: SimulatedInvoice) => void
  #lastNumber = 4_522_625_000

  constructor(tell: (invoice: SimulatedInvoice) => void) {
    this.#tell = tell
  }

  open(order: InvoiceOrder): SimulatedInvoice {
    const id =
      order.processor === 'nowpayments' ? String(this.#nextNumber()) : randomUUID().replaceAll('-', '').slice(0, 22)
    const atMs = Date.now()
    const invoice: SimulatedInvoice = {
      ...order,
      id,
      paymentId: String(this.#nextNumber()),
      parentPaymentId: undefined,
      children: [],
      createdAtMs: atMs,
      updatedAtMs: atMs,
      status: FIRST_STATUS[order.processor],
      additionalStatus: 'None',
      paidShare: 0,
      outcomeShare: USUAL_OUTCOME,
      isBegun: order.processor === 'btcpay',
      callbackStatus: undefined,
    }
    this.#invoices.set(id, invoice)
    return invoice
  }

  get(id: string): SimulatedInvoice | undefined {
    return this.#invoices.get(id)
  }

  list(): SimulatedInvoice[] {
    return [...this.#invoices.values()]
  }

  move(invoice: SimulatedInvoice, steps: readonly Step[]): void {
    for (const { status, additionalStatus = 'None', deposit, ...step } of steps) {
      const { paidShare = invoice.paidShare, outcomeShare = invoice.outcomeShare } = step
      if (deposit === undefined) {
        const updatedAtMs = Date.now()
        Object.assign(invoice, { status, additionalStatus, paidShare, outcomeShare, isBegun: true, updatedAtMs })
        this.#tell(invoice)
      } else this.#deposit(invoice, status, deposit)
    }
  }

  #deposit(invoice: SimulatedInvoice, status: string, { payCurrency, share }: NonNullable<Step['deposit']>): void {
    invoice.isBegun = true
    const child: SimulatedInvoice = {
      ...invoice,
      paymentId: String(this.#nextNumber()),
      parentPaymentId: invoice.paymentId,
      payCurrency,
      children: [],
      updatedAtMs: Date.now(),
      status,
      paidShare: share,
    }
    invoice.children.push(child)
    this.#tell(child)
  }

  #nextNumber(): number {
    this.#lastNumber += 7
    return this.#lastNumber
  }
}
