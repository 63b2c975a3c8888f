import { isIPv6 } from 'node:net'

const GROUPS = 8
/** Of a /64. */
const NETWORK_GROUPS = 4
/** Of a /48, which a customer of a provider may have. */
const SITE_GROUPS = 3

/** The /48 network of an IPv6 address; undefined for other addresses. */
export function addressSite(ip: string): string | undefined {
  const group = addressGroup(ip)
  return group.includes(':') ? group.split(':', SITE_GROUPS).join(':') : undefined
}

/** An IPv4 address, or the /64 network of an IPv6 address, because one client can use every address of a /64. */
export function addressGroup(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(ip)) return ip
  const [head = '', tail] = ip.toLowerCase().split('%', 1).join('').split('::')
  const left = groupsOf(head)
  const right = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array.from({ length: Math.max(0, GROUPS - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, NETWORK_GROUPS).join(':')
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').map((group) => group.replace(/^0+(?=.)/, ''))
}
