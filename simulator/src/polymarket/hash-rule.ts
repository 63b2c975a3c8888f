import type { Switchboard } from '../faults/switchboard.ts'
import { HASH_RULES, type HashRule } from './book-text.ts'

/** The rule in force: the first one, unless the fault `hash-rule-change` names another. */
export function hashRule(faults: Switchboard): HashRule {
  if (faults.isQuiet) return 0
  const rule = faults.find('hash-rule-change', { feed: 'polymarket' })?.options.rule ?? 0
  return rule in HASH_RULES ? (rule as HashRule) : 0
}
