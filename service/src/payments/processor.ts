import type { Sighting } from '../domain/invoice.ts'

export interface InvoiceOrder {
  /** Our own id of it, which the processor repeats whenever it is asked. */
  readonly orderId: string
  readonly priceUsd: number
  readonly description: string
  /** The coin to pay with, if the payer has chosen. */
  readonly payCurrency?: string
  readonly lifeMinutes: number
}

export interface MadeInvoice {
  readonly externalId: string
  /** The page to pay on. */
  readonly url: string
}

/** What a signed callback is about. No more is read from one: what is true is asked for. */
export interface CallbackHint {
  readonly externalId?: string
  readonly orderId?: string
  /** Where an invoice may be paid in several payments. */
  readonly paymentId?: string
}

export interface KnownInvoice {
  readonly externalId: string
  /** Those that callbacks told of. */
  readonly paymentIds: readonly string[]
}

export type CallbackHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Takes money for us. It grants nothing. */
export interface Processor {
  readonly name: ProcessorName
  /** Throws `ProcessorAway` or `ProcessorRefusal`. */
  createInvoice(order: InvoiceOrder, signal?: AbortSignal): Promise<MadeInvoice>
  /** Undefined unless it was signed with a secret of ours. */
  verifyCallback(rawBody: Buffer, headers: CallbackHeaders): CallbackHint | undefined
  /** Undefined when nobody has begun to pay. Throws `ProcessorAway` or `ProcessorRefusal`. */
  fetchInvoice(known: KnownInvoice, signal?: AbortSignal): Promise<Sighting | undefined>
}

export const PROCESSOR_NAMES = ['nowpayments', 'btcpay'] as const
export type ProcessorName = (typeof PROCESSOR_NAMES)[number]

/** All that are configured are listened to; one of them makes new invoices. */
export interface Processors {
  readonly active: Processor | undefined
  byName(name: string): Processor | undefined
}
