import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What the colours of a theme can break. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Violations of WCAG 2.2 A and AA, and whether the page is wider than the screen. */
export async function problemsOf(page: Page, name: string, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  await page.evaluate(AXE)
  const only = rules === 'all' ? { type: 'tag', values: RULES } : { type: 'rule', values: COLOUR_RULES }
  const violations = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(only)} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`)) as string[]
  const excess = (await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )) as number
  const found = excess > 0 ? [...violations, `${excess} px wider than the screen`] : violations
  return found.map((problem) => `${name} ${problem}`)
}
