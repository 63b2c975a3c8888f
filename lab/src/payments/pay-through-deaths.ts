import { setTimeout as sleep } from 'node:timers/promises'
import { random } from '@bookreel/simulator/world/random'
import type { Progress } from '../experiment.ts'
import { type Audit, audit, untilSettled } from './audit.ts'
import type { LabInvoice, PaymentBench } from './payment-bench.ts'

export interface Deaths extends Audit {
  readonly paid: number
  readonly kills: readonly { readonly target: string; readonly afterMs: number }[]
  readonly settledWithinMs: number
}

const AWAY_MS = 2_000
/** Longer than the lease of a worker that was killed. */
const SETTLES_WITHIN_MS = 120_000

/**
 * Invoices are paid while API processes and payment workers are killed at any point between the steps,
 * and while the processor is unavailable. Callbacks are repeated as the processors do, but sooner.
 */
export async function payThroughDeaths(
  bench: PaymentBench,
  { kills, each, seed }: { kills: number; each: number; seed: string },
  progress: Progress,
): Promise<Deaths> {
  const draw = random(seed, 'deaths')
  await bench.delivery({ lose: false, copies: 2, reorder: true, haste: 50 })
  const invoices: LabInvoice[] = []
  const killed: { target: string; afterMs: number }[] = []
  for (let kill = 0; kill < kills; kill++) {
    progress(`${kill} of ${kills} killed`)
    const fresh: LabInvoice[] = []
    for (let index = 0; index < each; index++) {
      fresh.push(await bench.newInvoice(index % 2 === 0 ? 'nowpayments' : 'btcpay', 'pro_monthly'))
    }
    invoices.push(...fresh)
    const afterMs = draw.whole(0, 250)
    const target = kill % 3
    const paying = Promise.all(fresh.map((invoice) => bench.happen(invoice, { act: 'pay' })))
    await sleep(afterMs)
    if (target === 2) await beAway(bench)
    else if (target === 1) await endWorkers(bench)
    else await endApi(bench)
    await paying
    killed.push({ target: ['api', 'workers', 'processor away'][target] ?? '', afterMs })
  }
  const settledWithinMs = await untilSettled(bench, invoices, () => true, SETTLES_WITHIN_MS)
  return {
    paid: invoices.length,
    kills: killed,
    settledWithinMs: Math.round(settledWithinMs),
    ...(await audit(bench, invoices, () => true)),
  }
}

async function endApi(bench: PaymentBench): Promise<void> {
  await bench.api.kill()
  await bench.api.restart()
  await bench.untilListening()
}

async function endWorkers(bench: PaymentBench): Promise<void> {
  for (let index = 0; index < bench.workerCount; index++) await bench.killWorker(index)
  for (let index = 0; index < bench.workerCount; index++) await bench.restartWorker(index)
}

async function beAway(bench: PaymentBench): Promise<void> {
  await bench.delivery({ away: true })
  await sleep(AWAY_MS)
  await bench.delivery({ away: false })
}
