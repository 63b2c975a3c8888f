import { SIMULATED_IPN_SECRET } from '@bookreel/simulator/payments/callback-text'
import type { Simulator } from '@bookreel/simulator/simulator'

/**
 * The settings with which the service finds the simulated venues instead of the real ones. The key signs the handshake
 * of the simulated Kalshi; without it only its REST interface can be used.
 */
export function venueSettings(
  addresses: Simulator['addresses'],
  kalshiKey?: Simulator['kalshiKey'],
): Record<string, string> {
  return {
    POLYMARKET_GAMMA_URL: addresses.gamma,
    POLYMARKET_CLOB_URL: addresses.clob,
    POLYMARKET_SOCKET_URL: addresses.marketSocket,
    POLYMARKET_PRICE_SOCKET_URL: addresses.priceSocket,
    KALSHI_REST_URL: addresses.kalshi,
    KALSHI_SOCKET_URL: addresses.kalshiSocket,
    ...(kalshiKey !== undefined && { KALSHI_KEY_ID: kalshiKey.id, KALSHI_PRIVATE_KEY: kalshiKey.privateKeyPem }),
    HYPERLIQUID_INFO_URL: addresses.perpInfo,
    HYPERLIQUID_SOCKET_URL: addresses.perpSocket,
    BINANCE_REST_URL: addresses.spot,
    BINANCE_SOCKET_URL: addresses.spotSocket,
  }
}

/** The same for the simulated payment processor. */
export function processorSettings(addresses: Simulator['addresses']): Record<string, string> {
  return {
    PAYMENT_PROCESSOR: 'nowpayments',
    NOWPAYMENTS_URL: addresses.nowPayments,
    NOWPAYMENTS_API_KEY: 'any',
    NOWPAYMENTS_IPN_SECRET: SIMULATED_IPN_SECRET,
  }
}
