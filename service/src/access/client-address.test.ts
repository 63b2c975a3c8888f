import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { clientAddress, trustedProxies } from './client-address.ts'

const PROXIES = trustedProxies(['10.0.0.0/8', '::1'])

function addressOf(peer: string, headers: Record<string, string>) {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: peer })
  const request = new IncomingMessage(socket)
  Object.assign(request.headers, headers)
  return clientAddress(request, PROXIES)
}

test('headers of a peer that is not a trusted proxy are ignored', () => {
  const spoofed = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' }
  for (const peer of ['203.0.113.9', '::ffff:203.0.113.9'])
    expect(addressOf(peer, spoofed)).toEqual({ ip: '203.0.113.9', isHttps: false })
})

test('behind trusted proxies, the last address that is none of them is the client', () => {
  const forwarded = { 'x-forwarded-for': '1.1.1.1, 198.51.100.7, 10.1.1.1', 'x-forwarded-proto': 'https' }
  for (const peer of ['10.0.0.1', '::1'])
    expect(addressOf(peer, forwarded)).toEqual({ ip: '198.51.100.7', isHttps: true })
})
