import fastify from 'fastify'
import { expect, test } from 'vitest'
import { refusalPage } from './refusal-page.ts'

test('a text on the page of a refused sign-in cannot become markup, and nothing inline would run', async () => {
  const app = fastify()
  app.get('/', (_request, reply) =>
    refusalPage(reply, '</p><script>alert(1)</script><img src=x onerror=alert(1)> &lt;'),
  )
  const { body, headers } = await app.inject('/')
  expect(body).not.toMatch(/<script|<img/)
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(body).toContain('&amp;lt;')
  expect(headers['content-security-policy']).toContain("default-src 'none';")
  await app.close()
})
