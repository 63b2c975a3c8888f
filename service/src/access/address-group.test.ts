import { expect, test } from 'vitest'
import { addressGroup, addressSite } from './address-group.ts'

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:0:0:ffff::', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['what is this', 'what is this'],
])('%s counts as %s', (ip, group) => {
  expect(addressGroup(ip)).toBe(group)
})

test('the /48 network of an IPv6 address is its site, and other addresses have none', () => {
  expect(addressSite('2001:0db8:0001:2::9')).toBe('2001:db8:1')
  expect(addressSite('2001:db8::')).toBe('2001:db8:0')
  for (const ip of ['203.0.113.9', '::ffff:203.0.113.9', 'what is this']) expect(addressSite(ip)).toBeUndefined()
})
