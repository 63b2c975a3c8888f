import type { z } from 'zod'
import { jsonSchemaOf } from '../../endpoints/schemas/json-schema.ts'
import { ClientFrame, ServerFrame } from './protocol.ts'

const STREAM_VERSION = '1.0.0'
const HERE = '#/$defs/'
const SHARED = '#/components/schemas/'

type Schemas = Record<string, unknown>

/** The AsyncAPI document of `/v1/stream`, generated from the schemas that validate frames. */
export function asyncApi(): Record<string, unknown> {
  const schemas: Schemas = {}
  const ClientMessage = messageOf('ClientFrame', ClientFrame, 'input', schemas)
  const ServerMessage = messageOf('ServerFrame', ServerFrame, 'output', schemas)
  const channel = { $ref: '#/channels/stream' }
  const messageRef = (name: string) => [{ $ref: `#/channels/stream/messages/${name}` }]
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Bookreel streams',
      version: STREAM_VERSION,
      description:
        'Order books live, resumed and replayed over one WebSocket. A key with the scope `stream` goes into the header `X-API-Key` or `Authorization: Bearer`, or into an `auth` frame within 5 seconds. See docs/websocket.md for explanations and examples.',
    },
    defaultContentType: 'application/json',
    channels: {
      stream: {
        address: '/v1/stream',
        messages: {
          client: { $ref: '#/components/messages/ClientMessage' },
          server: { $ref: '#/components/messages/ServerMessage' },
        },
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: {
      hear: { action: 'receive', channel, messages: messageRef('client'), summary: 'Frames from the client' },
      tell: { action: 'send', channel, messages: messageRef('server'), summary: 'Frames from the server' },
    },
    components: { messages: { ClientMessage, ServerMessage }, schemas },
  }
}

/** Adds the schema and everything that it refers to. */
function messageOf(name: string, schema: z.ZodType, io: 'input' | 'output', schemas: Schemas): Record<string, unknown> {
  const text = JSON.stringify(jsonSchemaOf(schema, io)).replaceAll(HERE, SHARED)
  const { $defs } = JSON.parse(text) as { $defs: Schemas }
  Object.assign(schemas, $defs)
  return { name, payload: { $ref: `${SHARED}${name}` } }
}
