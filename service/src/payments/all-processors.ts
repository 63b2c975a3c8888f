import { btcPayKind } from './btcpay.ts'
import { nowPaymentsKind } from './nowpayments.ts'

/** Every payment processor. Settings, secrets to redact and the choice of PAYMENT_PROCESSOR are derived from here. */
export const ALL_PROCESSORS = [nowPaymentsKind, btcPayKind] as const
export const PROCESSOR_SETTINGS = { ...nowPaymentsKind.settings, ...btcPayKind.settings }

export type ProcessorName = (typeof ALL_PROCESSORS)[number]['name']
export const PROCESSOR_NAMES = ALL_PROCESSORS.map(({ name }) => name) as readonly ProcessorName[]
export const PROCESSOR_SECRETS: readonly string[] = ALL_PROCESSORS.flatMap(({ secrets }): readonly string[] => secrets)
