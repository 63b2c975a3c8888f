import type { Config } from '../config.ts'
import { btcPay } from '../payments/btcpay.ts'
import { nowPayments } from '../payments/nowpayments.ts'
import type { Processor, ProcessorName, Processors } from '../payments/processor.ts'

/** Those that have what they need in the settings. The one that is asked for must. */
export function openProcessors(config: Config): Processors {
  const all = [openNowPayments(config), openBtcPay(config)].filter((each) => each !== undefined)
  const byName = (name: string): Processor | undefined => all.find((each) => each.name === name)
  const wanted = config.PAYMENT_PROCESSOR
  if (wanted === 'none') return { active: undefined, byName }
  const active = byName(wanted)
  if (active === undefined) throw new Error(`PAYMENT_PROCESSOR is ${wanted}, but ${MISSING[wanted]} must be set too`)
  return { active, byName }
}

const MISSING: Record<ProcessorName, string> = {
  nowpayments: 'NOWPAYMENTS_API_KEY, NOWPAYMENTS_IPN_SECRET and PUBLIC_URL',
  btcpay: 'BTCPAY_URL, BTCPAY_STORE_ID, BTCPAY_API_KEY, BTCPAY_WEBHOOK_SECRET and PUBLIC_URL',
}

function openNowPayments(config: Config): Processor | undefined {
  const { NOWPAYMENTS_URL: url, NOWPAYMENTS_API_KEY: apiKey, NOWPAYMENTS_IPN_SECRET: secret, PUBLIC_URL } = config
  if (apiKey === undefined || secret === undefined || PUBLIC_URL === undefined) return undefined
  return nowPayments({
    url,
    apiKey,
    secrets: secretsOf(secret, config.NOWPAYMENTS_IPN_SECRET_FORMER),
    callbackUrl: new URL('/v1/payments/callbacks/nowpayments', PUBLIC_URL).href,
    returnUrl: returnUrl(PUBLIC_URL),
  })
}

function openBtcPay(config: Config): Processor | undefined {
  const { BTCPAY_URL: url, BTCPAY_STORE_ID: storeId, BTCPAY_API_KEY: apiKey, PUBLIC_URL } = config
  const { BTCPAY_WEBHOOK_SECRET: secret, BTCPAY_WEBHOOK_SECRET_FORMER: former } = config
  if (!url || !storeId || !apiKey || !secret || PUBLIC_URL === undefined) return undefined
  return btcPay({ url, storeId, apiKey, secrets: secretsOf(secret, former), returnUrl: returnUrl(PUBLIC_URL) })
}

function secretsOf(secret: string, former: string | undefined): string[] {
  return former === undefined ? [secret] : [secret, former]
}

function returnUrl(publicUrl: string): string {
  return new URL('/account', publicUrl).href
}
