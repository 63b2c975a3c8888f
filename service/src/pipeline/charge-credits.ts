import type { AccessControl } from '../access/access-control.ts'
import type { Caller } from '../access/caller.ts'
import type { Purchase, Receipt } from '../access/credit-charger.ts'
import type { ApiMetrics } from './api-metrics.ts'
import type { Transport } from './exchange.ts'

export interface ChargingDeps {
  readonly accessControl: Pick<AccessControl, 'charge'>
  readonly metrics: ApiMetrics
}

/** Charges for an answer that is ready to be sent. */
export async function chargeCredits(
  { accessControl, metrics }: ChargingDeps,
  transport: Transport,
  caller: Caller,
  purchase: Purchase,
): Promise<Receipt> {
  const receipt = await accessControl.charge(caller, purchase)
  metrics.creditsCharged.inc({ transport, route: purchase.endpoint }, receipt.charged)
  return receipt
}
