import { expect, test } from 'vitest'
import { problemOfRpc } from './rpc-answer.ts'

test.each([
  [200, { jsonrpc: '2.0', id: 1, result: { tools: [] } }],
  [400, { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'The body is not JSON.' } }],
  [401, { error: 'unauthenticated', message: 'A valid API key is needed', status: 401 }],
])('a good answer passes (%i)', (status, body) => {
  expect(problemOfRpc(status, JSON.stringify(body))).toBeUndefined()
})

test.each([
  [200, ''],
  [200, '{"jsonrpc":"2.0","id":1}'],
  [200, '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"both"}}'],
  [200, '{"error":"unauthenticated","message":"no","status":401}'],
  [404, '{"error":"not_found","message":"no","status":401}'],
  [400, '{"jsonrpc":"2.0","id":null,"error":{"code":"text","message":"no"}}'],
  [202, '{}'],
])('a bad answer is found (%i %s)', (status, text) => {
  expect(problemOfRpc(status, text)).toBeTypeOf('string')
})
