import { expect, test } from 'vitest'
import { asyncApi } from './asyncapi.ts'

test('the published protocol refers only to what is in it', () => {
  const document = asyncApi()
  const text = JSON.stringify(document)
  const refs = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
  expect(refs.length).toBeGreaterThan(8)
  for (const path of refs) {
    const found = path
      .split('/')
      .reduce((node: unknown, name) => (node as Record<string, unknown> | undefined)?.[name], document)
    expect(found, path).toBeDefined()
  }
  expect(text).toContain('replay_ended')
  expect(text).toContain('replay.seek')
})
