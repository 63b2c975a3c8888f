import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { AnonymousBudget } from './anonymous-budget.ts'

// So few a minute that no machine earns another one during a test.
const FEW = { rpm: 0.001, burst: 2 }

async function isCounted(budget: AnonymousBudget, ip: string): Promise<boolean> {
  return budget
    .take('requests', ip, async () => false)
    .then(
      () => true,
      () => false,
    )
}

test('a /48 has sixteen budgets, however many networks it uses, and displaces the counts of nobody', async () => {
  const budget = new AnonymousBudget(new Registry(), { requests: FEW })
  const others = ['203.0.113.9', '2001:db8:8:1::1']
  for (const ip of others) {
    for (let request = 0; request < FEW.burst; request++) expect(await isCounted(budget, ip)).toBe(true)
    expect(await isCounted(budget, ip)).toBe(false)
  }
  let counted = 0
  for (let network = 0; network < 65_536; network++)
    if (await isCounted(budget, `2001:db8:7:${network.toString(16)}::1`)) counted++
  expect(counted).toBe(16 * FEW.burst)
  for (const ip of others) expect(await isCounted(budget, ip)).toBe(false)
  expect(await isCounted(budget, '2001:db8:9::1')).toBe(true)
})
