import type { Config } from '../config.ts'
import { ALL_PROCESSORS } from '../payments/all-processors.ts'
import type { Processor, Processors } from '../payments/processor.ts'

/** The processors whose settings are complete. Throws when the one in PAYMENT_PROCESSOR is not among them. */
export function openProcessors(config: Config): Processors {
  const { PUBLIC_URL: publicUrl, PAYMENT_PROCESSOR: wanted } = config
  const all = publicUrl === undefined ? [] : ALL_PROCESSORS.map((kind) => kind.open(config, publicUrl))
  const byName = (name: string): Processor | undefined => all.find((each) => each?.name === name)
  if (wanted === 'none') return { active: undefined, byName }
  const active = byName(wanted)
  if (active === undefined) {
    const needs = ALL_PROCESSORS.find(({ name }) => name === wanted)?.needs ?? []
    throw new Error(`PAYMENT_PROCESSOR is ${wanted}, but ${needs.join(', ')} and PUBLIC_URL must be set too`)
  }
  return { active, byName }
}
