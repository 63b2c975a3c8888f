import { setTimeout as sleep } from 'node:timers/promises'
import { packById } from '@bookreel/service/domain/packs'
import type { LabInvoice, PaymentBench } from './payment-bench.ts'

export interface Audit {
  readonly granted: number
  /** Paid in full without a grant. */
  readonly missing: number
  /** Granted without a payment. */
  readonly wrong: number
  readonly doubled: number
  /** Tier invoices whose months were not granted exactly once, or were granted unpaid. */
  readonly wrongMonths: number
  readonly drifts: number
}

/** Compares the ledger with invoices whose payment state is known. */
export async function audit(
  { access }: PaymentBench,
  invoices: readonly LabInvoice[],
  isPaid: (invoice: LabInvoice) => boolean,
): Promise<Audit> {
  const ids = invoices.map(({ accountId }) => accountId)
  const grants = await access.database
    .selectFrom('ledger')
    .select(['account_id', 'delta', 'idem'])
    .where('account_id', 'in', ids)
    .where('kind', '=', 'payment')
    .execute()
  const months = await access.database
    .selectFrom('paid_months')
    .select(['account_id'])
    .where('account_id', 'in', ids)
    .execute()
  const grantsBy = Map.groupBy(grants, ({ account_id }) => account_id)
  const monthsBy = Map.groupBy(months, ({ account_id }) => account_id)
  let [missing, wrong, doubled, wrongMonths] = [0, 0, 0, 0]
  for (const invoice of invoices) {
    const pack = packById(invoice.pack)
    const own = grantsBy.get(invoice.accountId) ?? []
    const isDue = isPaid(invoice)
    if (isDue && own.length === 0) missing++
    if (own.length > 1) doubled++
    const isRight = own.every(
      ({ delta, idem }) => Number(delta) === pack?.credits && idem === `pay:${invoice.provider}:${invoice.externalId}`,
    )
    if ((!isDue && own.length > 0) || !isRight) wrong++
    if ((monthsBy.get(invoice.accountId)?.length ?? 0) !== (isDue ? (pack?.months ?? 0) : 0)) wrongMonths++
  }
  const drifts = (await access.ledger.drifts()).length
  return { granted: grants.length, missing, wrong, doubled, wrongMonths, drifts }
}

/** Waits, with a limit, until none of these is due or being settled. Returns how long it took. */
export async function untilSettled(
  { access }: PaymentBench,
  invoices: readonly LabInvoice[],
  isPaid: (invoice: LabInvoice) => boolean,
  limitMs: number,
): Promise<number> {
  const fromMs = performance.now()
  const wanted = new Set(invoices.filter(isPaid).map(({ id }) => id))
  while (performance.now() - fromMs < limitMs) {
    const soon = new Date(Date.now() + 60_000)
    const rows = await access.database
      .selectFrom('invoices')
      .select(['id', 'state', 'next_check_at'])
      .where(
        'id',
        'in',
        invoices.map(({ id }) => id),
      )
      .execute()
      .catch(() => undefined)
    const isDone = rows?.every(
      ({ id, state, next_check_at }) =>
        (!wanted.has(id) || state === 'paid') && (next_check_at === null || next_check_at > soon),
    )
    if (isDone) break
    await sleep(200)
  }
  return performance.now() - fromMs
}
