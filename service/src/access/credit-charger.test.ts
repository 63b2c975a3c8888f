import { expect, test } from 'vitest'
import type { Charge, ChargeResult } from '../stores/money/credit-ledger.ts'
import { Breaker } from './breaker.ts'
import type { Caller } from './caller.ts'
import { CreditCharger } from './credit-charger.ts'

const CALLER = { accountId: 'a', keyId: 'k' } as Caller
const PURCHASE = { credits: 5, endpoint: 'list_snapshots', fingerprint: 'f', requestId: 'r' }

/** A ledger that charges, and whose next answers are lost. */
function scene() {
  const lost = { answers: 0 }
  const charged = new Map<string, number>()
  /** Charges that the ledger no longer undoes. */
  const late = new Set<string>()
  const charge = async ({ idem, credits }: Charge): Promise<ChargeResult> => {
    const outcome = charged.has(idem) ? 'replayed' : 'charged'
    charged.set(idem, credits)
    if (lost.answers-- > 0) throw new Error('the answer is lost')
    return { outcome, charged: outcome === 'charged' ? credits : 0, balance: 95 }
  }
  const ledger = {
    charge,
    void: async (_: string, idem: string) => (late.has(idem) ? undefined : Number(charged.delete(idem))),
    spendable: async () => ({ balance: 100 }),
    findPaid: async () => undefined,
    wasPaidLately: async () => false,
    wasHeldBefore: async () => false,
  }
  const breaker = new Breaker({ nowMs: () => 0, isOutage: () => true })
  return { charger: new CreditCharger({ ledger, breaker, nowMs: () => 0 }), lost, charged, late }
}

test('a charge whose answer is lost is paid once, and the caller gets the usual receipt', async () => {
  const { charger, lost, charged } = scene()
  lost.answers = 1
  expect(await charger.charge(CALLER, PURCHASE)).toEqual({ charged: 5, remaining: 95, replayed: false })
  expect([...charged.values()]).toEqual([5])
})

test('a charge without any answer is refused and given back; with a key of the caller, a retry is free', async () => {
  const { charger, lost, charged } = scene()
  lost.answers = 2
  await expect(charger.charge(CALLER, PURCHASE)).rejects.toMatchObject({ code: 'store_unavailable', status: 503 })
  await charger.undoUndecided()
  expect(charged.size).toBe(0)
  lost.answers = 2
  const named = { ...PURCHASE, idempotencyKey: 'mine' }
  await expect(charger.charge(CALLER, named)).rejects.toMatchObject({ code: 'store_unavailable' })
  await charger.undoUndecided()
  expect(await charger.charge(CALLER, named)).toEqual({ charged: 0, remaining: 95, replayed: true })
})

test('a charge that is given back too late is told once, by name, and the others are given back', async () => {
  const { charger, lost, charged, late } = scene()
  for (let charge = 0; charge < 2; charge++) {
    lost.answers = 2
    await charger.charge(CALLER, PURCHASE).catch(() => {})
  }
  const [first = ''] = charged.keys()
  late.add(first)
  await expect(charger.undoUndecided()).rejects.toThrow(`charge ${first} of account a was not refunded in time`)
  await charger.undoUndecided()
  expect([...charged.keys()]).toEqual([first])
})
