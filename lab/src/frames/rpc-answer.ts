import { Ajv } from 'ajv'

/** The schema of a JSON-RPC 2.0 response, and of an MCP tool result. */
const RPC_ANSWER = {
  type: 'object',
  required: ['jsonrpc'],
  additionalProperties: false,
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'number', 'null'] },
    error: {
      type: 'object',
      required: ['code', 'message'],
      additionalProperties: false,
      properties: { code: { type: 'integer' }, message: { type: 'string', minLength: 1 }, data: {} },
    },
    result: {
      type: 'object',
      properties: {
        content: {
          type: 'array',
          items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
        },
        isError: { type: 'boolean' },
      },
    },
  },
  oneOf: [{ required: ['error'] }, { required: ['id', 'result'] }],
}
/** A request refused before its message is read gets the same error object as REST. */
const REFUSAL = {
  type: 'object',
  required: ['error', 'message', 'status'],
  properties: {
    error: { type: 'string', minLength: 1 },
    message: { type: 'string', minLength: 1 },
    status: { type: 'integer' },
  },
}
const ACCEPTED = 202
const ajv = new Ajv({ strict: false })
const isRpcAnswer = ajv.compile(RPC_ANSWER)
const isRefusal = ajv.compile<{ status: number }>(REFUSAL)

/** What is wrong with a response of `/mcp`; undefined when it is valid. */
export function problemOfRpc(status: number, text: string): string | undefined {
  if (status === ACCEPTED) return text === '' ? undefined : 'words where there should be none'
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return 'no JSON'
  }
  if (isRpcAnswer(content)) return undefined
  if (status < 400 || !isRefusal(content)) return 'neither an answer of JSON-RPC nor an error of the interface'
  return content.status === status ? undefined : 'an error that tells of another status'
}
