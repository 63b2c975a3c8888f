import { z } from 'zod'
import { openEnum } from './json-schema.ts'

export const Notices = z
  .array(
    z
      .object({
        code: openEnum(['proof_rule_changed']),
        venue: z.string(),
        message: z.string().describe('what it means, and what an operator does'),
      })
      .meta({ id: 'Notice' }),
  )
  .describe(
    'what you should know although every service works; normally empty. proof_rule_changed: the venue changed how it computes its hashes; recording continues with unverified rows',
  )
