// Nightly: waits for limits of the venue in real time.
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Simulator } from '../../src/simulator.ts'
import { openSimulator } from '../open-simulator.ts'
import { switchOn } from '../switch-fault.ts'
import { connect, keyOf, openKalshi, roundTrip, signedHeaders } from './kalshi-scene.ts'

interface Answer {
  status: number
  body: string
  retryAfter: string | undefined
}

/** Status and text of the answer to a handshake that is refused. */
async function refusal({ addresses }: Simulator, headers: Record<string, string>): Promise<Answer> {
  const upgrade = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  }
  return new Promise((resolve, reject) => {
    const asked = request(addresses.kalshiSocket.replace('ws:', 'http:'), { headers: { ...headers, ...upgrade } })
    asked.on('error', reject).on('upgrade', () => reject(new Error('the client was let in')))
    asked.on('response', (answer) => {
      let body = ''
      answer.on('data', (part: Buffer) => {
        body += part.toString()
      })
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body, retryAfter: answer.headers['retry-after'] }),
      )
    })
    asked.end()
  })
}

test('a signed handshake is accepted; the prefix of the simulator is not part of the signed path', async () => {
  const simulator = await openKalshi()
  const client = await connect(simulator)
  await roundTrip(client)
  expect(client.frames.map(({ json }) => json.msg)).toEqual([[]])
})

test('an unknown key, another signature and a late time are refused with 401', async () => {
  const simulator = await openKalshi()
  const key = keyOf(simulator)
  const other = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  expect(await refusal(simulator, {})).toMatchObject({
    status: 401,
    body: '{"code":"authentication_error","details":"NOT_FOUND"}',
  })
  expect((await refusal(simulator, signedHeaders({ ...key, id: 'somebody' }, Date.now()))).status).toBe(401)
  const forged = await refusal(simulator, signedHeaders({ ...key, privateKeyPem: other.privateKey }, Date.now()))
  expect(forged).toMatchObject({ status: 401, body: expect.stringContaining('SIGNATURE') })
  const late = await refusal(simulator, signedHeaders(key, Date.now() - 20_000))
  expect(late).toMatchObject({ status: 401, body: expect.stringContaining('TIMESTAMP') })
})

test('the time of the simulated world is as good as real time', async () => {
  const simulator = await openKalshi()
  const headers = signedHeaders(keyOf(simulator), simulator.kalshi.nowMs)
  await expect(refusal(simulator, headers)).rejects.toThrow('let in')
})

test('too many connections are refused with 429 and without Retry-After', async () => {
  const simulator = await openKalshi()
  await switchOn(simulator, { name: 'refuse-upgrade', target: { feed: 'kalshi' }, times: 1 })
  const answer = await refusal(simulator, signedHeaders(keyOf(simulator), Date.now()))
  expect([answer.status, answer.retryAfter]).toEqual([429, undefined])
  await connect(simulator)
})

test('the server pings every 10 s with the body heartbeat', async () => {
  const simulator = await openKalshi()
  const openedAtMs = performance.now()
  const socket = new WebSocket(simulator.addresses.kalshiSocket, {
    headers: signedHeaders(keyOf(simulator), Date.now()),
  })
  onTestFinished(() => socket.terminate())
  const [body] = (await once(socket, 'ping')) as [Buffer]
  expect(body.toString()).toBe('heartbeat')
  expect(performance.now() - openedAtMs).toBeGreaterThan(9_900)
})

test('another process gets the key from the admin interface', async () => {
  const simulator = await openKalshi()
  const answer = await fetch(`${simulator.addresses.admin}/kalshi/key`)
  expect(await answer.json()).toEqual(keyOf(simulator))
})

test('a simulator without Kalshi markets has no key, lets nobody in and lists nothing', async () => {
  const simulator = await openSimulator()
  expect(simulator.kalshiKey).toBeUndefined()
  expect((await refusal(simulator, {})).status).toBe(401)
  expect(await (await fetch(`${simulator.addresses.kalshi}/markets`)).json()).toEqual({ markets: [], cursor: '' })
  expect((await fetch(`${simulator.addresses.admin}/kalshi/key`)).status).toBe(404)
})
