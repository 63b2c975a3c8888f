import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export interface ClientAddress {
  readonly ip: string
  readonly isHttps: boolean
}

/** Addresses and networks whose X-Forwarded headers are trusted. */
export function trustedProxies(texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', length] = text.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (length === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(length), family)
  }
  return list
}

/** The address of the client: the peer, or the last address in X-Forwarded-For that is not a trusted proxy. */
export function clientAddress(request: IncomingMessage, proxies: BlockList): ClientAddress {
  const peer = plain(request.socket.remoteAddress ?? '')
  const isEncrypted = 'encrypted' in request.socket && request.socket.encrypted === true
  if (!isTrusted(proxies, peer)) return { ip: peer, isHttps: isEncrypted }
  const forwarded = headerValues(request, 'x-forwarded-for').map(plain)
  const ip = forwarded.toReversed().find((each) => !isTrusted(proxies, each)) ?? forwarded[0] ?? peer
  return { ip, isHttps: headerValues(request, 'x-forwarded-proto').at(-1) === 'https' }
}

export function isTrusted(proxies: BlockList, ip: string): boolean {
  const family = isIP(ip)
  return family !== 0 && proxies.check(ip, family === 6 ? 'ipv6' : 'ipv4')
}

function headerValues({ headers }: IncomingMessage, name: string): string[] {
  const value = headers[name]
  const text = Array.isArray(value) ? value.join(',') : (value ?? '')
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

/** IPv6 sockets show IPv4 addresses as `::ffff:1.2.3.4`. */
function plain(ip: string): string {
  return ip.startsWith('::ffff:') && isIP(ip.slice(7)) === 4 ? ip.slice(7) : ip
}
