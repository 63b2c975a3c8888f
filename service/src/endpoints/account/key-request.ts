import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'

const MAX_LABEL_LENGTH = 64
const MAX_CREDIT_LIMIT = 1_000_000_000_000

export const KeyLabel = z
  .string()
  .trim()
  .min(1)
  .max(MAX_LABEL_LENGTH)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
  .describe('a name of your choice')

export const CreditLimit = z.int().min(0).max(MAX_CREDIT_LIMIT)

export const KeyParams = z.object({
  key_id: z.string().max(128).describe('`id` of the key, not the key itself'),
})

export function noSuchKey(): ApiError {
  return new ApiError('key_not_found', 'This account has no working key with this id.')
}
