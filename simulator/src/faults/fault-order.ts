import { z } from 'zod'
import { FAULT_KINDS, FAULT_NAMES, type FaultKind } from './fault-list.ts'
import { FEEDS } from './switchboard.ts'

/** A request to inject a fault, at start or at run time. */
export const FaultOrderSchema = z
  .strictObject({
    name: z.enum(FAULT_NAMES),
    target: z
      .strictObject({
        feed: z.enum(FEEDS).optional(),
        connection: z.string().optional(),
        market: z.string().optional(),
      })
      .optional(),
    rate: z.number().gt(0).max(1).optional(),
    times: z.int().positive().optional(),
    options: z.record(z.string(), z.number()).optional(),
  })
  .superRefine(({ name, options = {} }, context) => {
    const kind: FaultKind = FAULT_KINDS[name]
    const known = Object.keys(kind.options ?? {})
    for (const option of Object.keys(options)) {
      if (known.includes(option)) continue
      context.addIssue({
        code: 'custom',
        message: `${name} has no option ${option}; its options: ${known.join(', ') || 'none'}`,
      })
    }
  })
