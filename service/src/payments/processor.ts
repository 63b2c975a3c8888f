import type { z } from 'zod'
import type { ObservedPayment } from '../domain/invoice.ts'

export interface InvoiceOrder {
  /** Our id of the order, which the processor includes in its replies. */
  readonly orderId: string
  readonly priceUsd: number
  readonly description: string
  /** The coin that the payer chose, if any. */
  readonly payCurrency?: string
  readonly lifeMinutes: number
}

export interface MadeInvoice {
  readonly externalId: string
  /** The payment page. */
  readonly url: string
}

/** Which invoice a signed callback is about. Its status is never trusted; it is fetched from the processor. */
export interface CallbackHint {
  readonly externalId?: string
  readonly orderId?: string
  /** For processors that allow several payments for one invoice. */
  readonly paymentId?: string
}

export interface KnownInvoice {
  readonly externalId: string
  /** Payments known from callbacks. */
  readonly paymentIds: readonly string[]
  /** The coin that the payer chose at the order, if any. */
  readonly payCurrency?: string
}

export type CallbackHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A payment processor. It does not grant credits. */
export interface Processor {
  readonly name: string
  /** Throws `ProcessorAway` or `ProcessorRefusal`. */
  createInvoice(order: InvoiceOrder, signal?: AbortSignal): Promise<MadeInvoice>
  /** The coins that the shop accepts, in the form of `payCurrency`. Throws `ProcessorAway` or `ProcessorRefusal`. */
  listCurrencies(signal?: AbortSignal): Promise<string[]>
  /** Undefined when the signature is invalid. */
  verifyCallback(rawBody: Buffer, headers: CallbackHeaders): CallbackHint | undefined
  /** Undefined before a payment has started. Throws `ProcessorAway` or `ProcessorRefusal`. */
  fetchInvoice(known: KnownInvoice, signal?: AbortSignal): Promise<ObservedPayment | undefined>
}

/** Settings and factory of a processor. `all-processors.ts` lists all kinds. */
export interface ProcessorKind<Name extends string, Settings extends z.ZodRawShape> {
  readonly name: Name
  readonly settings: Settings
  /** Required settings. */
  readonly needs: readonly (keyof Settings & string)[]
  /** Settings that are never logged. */
  readonly secrets: readonly (keyof Settings & string)[]
  /** Undefined when a required setting is missing. */
  open(settings: z.output<z.ZodObject<Settings>>, publicUrl: string): Processor | undefined
}

/** Callbacks of all configured processors are accepted; the active one creates invoices. */
export interface Processors {
  readonly active: Processor | undefined
  byName(name: string): Processor | undefined
}
