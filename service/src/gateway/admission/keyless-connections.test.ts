import { expect, test } from 'vitest'
import { KeylessConnections, MAX_WITHOUT_KEY, MAX_WITHOUT_KEY_PER_ADDRESS } from './keyless-connections.ts'

test('a few addresses that wait without a key do not keep others out: the oldest makes room', () => {
  const connections = new KeylessConnections()
  const closed: number[] = []
  const addresses = MAX_WITHOUT_KEY / MAX_WITHOUT_KEY_PER_ADDRESS
  const uncounts = Array.from({ length: MAX_WITHOUT_KEY }, (_, number) =>
    connections.add(`10.0.0.${number % addresses}`, () => void closed.push(number)),
  )
  expect(() => connections.add('10.0.0.1', () => {}), 'an address keeps to its own limit').toThrow(/wait for their key/)
  uncounts[0]?.()
  uncounts[0]?.()
  connections.add('10.1.0.0', () => {})
  expect(closed, 'there was a place').toEqual([])
  for (const ip of ['10.1.0.1', '10.1.0.2']) connections.add(ip, () => {})
  expect(closed).toEqual([1, 2])
  uncounts[1]?.()
  connections.add('10.1.0.3', () => {})
  expect(closed, 'one that was closed is not counted twice').toEqual([1, 2, 3])
  connections.add('10.0.0.1', () => {})
  expect(closed, 'its address has a place again').toEqual([1, 2, 3, 4])
})
