import type { z } from 'zod'
import type { ObservedPayment } from '../domain/invoice.ts'

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
  readonly name: string
  /** Throws `ProcessorAway` or `ProcessorRefusal`. */
  createInvoice(order: InvoiceOrder, signal?: AbortSignal): Promise<MadeInvoice>
  /** Undefined unless it was signed with a secret of ours. */
  verifyCallback(rawBody: Buffer, headers: CallbackHeaders): CallbackHint | undefined
  /** Undefined when nobody has begun to pay. Throws `ProcessorAway` or `ProcessorRefusal`. */
  fetchInvoice(known: KnownInvoice, signal?: AbortSignal): Promise<ObservedPayment | undefined>
}

/** One kind of processor: its settings and how it is opened. `all-processors.ts` lists them. */
export interface ProcessorKind<Name extends string, Settings extends z.ZodRawShape> {
  readonly name: Name
  /** Part of the settings of the service. */
  readonly settings: Settings
  /** Settings without which it can't be opened. */
  readonly needs: readonly (keyof Settings & string)[]
  /** Settings that are never logged. */
  readonly secrets: readonly (keyof Settings & string)[]
  /** Undefined while a setting that it needs is missing. */
  open(settings: z.output<z.ZodObject<Settings>>, publicUrl: string): Processor | undefined
}

/** All that are configured are listened to; one of them makes new invoices. */
export interface Processors {
  readonly active: Processor | undefined
  byName(name: string): Processor | undefined
}
