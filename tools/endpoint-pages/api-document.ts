import type { Schema } from './schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Content {
  readonly 'application/json'?: { readonly schema: Schema }
}

export interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

/** The parts of the OpenAPI document from which the pages are written. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export function jsonSchemaIn(content: Content | undefined): Schema | undefined {
  return content?.['application/json']?.schema
}

/** Schema of the JSON of a successful answer; undefined when it has no body. */
export function answerSchema({ responses }: Operation): Schema | undefined {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))
  return jsonSchemaIn(success?.[1].content)
}
