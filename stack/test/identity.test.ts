import { expect, test } from 'vitest'
import { startStack } from '../src/start-stack.ts'

test('the optional identity provider accepts redirects to any loopback port', async () => {
  await using stack = await startStack({ engines: ['identity'] })
  const issuer = stack.variable('OIDC_ISSUER')
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
  expect(await answer.json()).toMatchObject({ issuer, code_challenge_methods_supported: ['S256'] })

  const begin = async (changes: Record<string, string>): Promise<Response> => {
    const question = new URLSearchParams({
      client_id: stack.variable('OIDC_CLIENT_ID'),
      response_type: 'code',
      scope: 'openid',
      redirect_uri: 'http://localhost:4711/auth/callback',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      ...changes,
    })
    return fetch(`${issuer}/auth?${question.toString()}`, { redirect: 'manual' })
  }
  expect((await begin({})).headers.get('location')).toMatch(/^\/sign-in\//)
  expect((await begin({ redirect_uri: 'http://127.0.0.1:9/auth/callback' })).status).toBe(303)
  expect((await begin({ redirect_uri: 'http://localhost:9/elsewhere' })).status).toBe(400)
  expect((await begin({ redirect_uri: 'http://example.com/auth/callback' })).status).toBe(400)
})
