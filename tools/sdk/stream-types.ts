import { jsonSchemaOf } from '@bookreel/service/endpoints/schemas/json-schema'
import { CHANNEL_FRAMES } from '@bookreel/service/gateway/protocol/channels'
import * as protocol from '@bookreel/service/gateway/protocol/protocol'
import { declarationText, type Schema } from './type-text.ts'

type FrameSchema = Parameters<typeof jsonSchemaOf>[0]

const MADE_BY = '// Made by `npm run docs`, from the protocol of the stream. Changes here are lost.\n'

/** What a client writes may leave defaults out; what it reads has them. */
const WRITTEN = new Set(['Selector', 'Channel', 'StreamOptions', 'ClientFrame'])

/** Every schema that the protocol exports, as a type of the same name. */
export function streamTypes(): string {
  const exported = Object.entries<unknown>({ ...protocol, ...CHANNEL_FRAMES })
    .filter((each): each is [string, FrameSchema] => isSchema(each[1]))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const names = new Map(exported.map(([name, schema]) => [schema, name]))
  const declarations = exported.map(([name, schema]) => {
    if (schema !== protocol.ServerFrame) return declarationText(name, jsonOf(schema, WRITTEN.has(name)))
    const members = protocol.ServerFrame.options.map((option): Schema => {
      const known = names.get(option)
      return known === undefined ? jsonOf(option, false) : { $ref: known }
    })
    return declarationText(name, { anyOf: members, description: 'One frame of the server.' })
  })
  return `${MADE_BY}\n${declarations.join('\n')}`
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value
}

/** Of a schema with a name its definition, not the reference to it. */
function jsonOf(schema: FrameSchema, isWritten: boolean): Schema {
  const { $defs = {}, ...json } = jsonSchemaOf(schema, isWritten ? 'input' : 'output') as Schema & {
    $defs?: Record<string, Schema>
  }
  const name = json.$ref?.split('/').at(-1)
  return name === undefined ? json : ($defs[name] ?? json)
}
