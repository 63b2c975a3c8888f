import { expect, test } from 'vitest'
import { LiveNodes } from './live-nodes.ts'

test('counts the nodes that have heartbeats, never fewer than configured, and keeps the last number without them', () => {
  const nodes = new LiveNodes(2)
  expect(nodes.count()).toBe(2)
  let alive = [{ roles: ['api', 'gateway'] }, { roles: ['api'] }, { roles: ['capture', 'hot'] }]
  nodes.follow({ current: () => alive })
  expect(nodes.count()).toBe(3)
  alive = []
  expect(nodes.count()).toBe(3)
  alive = [{ roles: ['api'] }]
  expect(nodes.count()).toBe(2)
})
