import type { Endpoint } from './endpoint.ts'

/** The interface describes some answers twice: in its text, and in the schema that it declares. */
export const FORMS = ['described', 'declared'] as const
export type Form = (typeof FORMS)[number]

/** The endpoint as it answers in this form. Parquet has only the described form. */
export function inForm(endpoint: Endpoint, form: Form): Endpoint {
  if (form === 'described' || endpoint.declared === undefined) return endpoint
  return {
    ...endpoint,
    table: undefined,
    render: undefined,
    stream: undefined,
    parquet: undefined,
    ...endpoint.declared,
  }
}
