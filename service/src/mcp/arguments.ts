import { z } from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Texts } from './paging.ts'

/** An argument has the same name in every tool, whatever the parameters of the endpoints are called. */
const ARGUMENT_OF: Readonly<Record<string, string>> = {
  id: 'market',
  marketId: 'market',
  slug: 'market',
  crypto: 'coin',
  symbol: 'coin',
}

export const Market = z
  .string()
  .min(1)
  .max(300)
  .describe('condition id, slug or start of a slug; btc-updown-5m is the window open now')

const SCHEMA_OF: Readonly<Record<string, z.ZodType>> = { market: Market }

/** Schemas of the arguments for the parameters of an endpoint. */
export function argumentsOf(endpoint: Endpoint, hidden: readonly string[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(parametersOf(endpoint))
      .filter(([parameter]) => !hidden.includes(parameter))
      .map(([parameter, schema]) => {
        const name = ARGUMENT_OF[parameter] ?? parameter
        return [name, SCHEMA_OF[name] ?? schema]
      }),
  )
}

/** The values of arguments, under the names of the parameters. */
export function parametersIn(endpoint: Endpoint, texts: Texts): Texts {
  const names = new Map(
    Object.keys(parametersOf(endpoint)).map((parameter) => [ARGUMENT_OF[parameter] ?? parameter, parameter]),
  )
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [names.get(name) ?? name, text]))
}

export function parametersOf({ params, query }: Endpoint): Record<string, z.ZodType> {
  return { ...shapeOf(params), ...shapeOf(query) }
}

function shapeOf(schema: z.ZodType | undefined): Record<string, z.ZodType> {
  return schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {}
}
