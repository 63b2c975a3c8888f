import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'

test('no port is given out twice before its caller had time to listen on it', async () => {
  const ports: number[] = []
  // So many random ports would have about five pairs of equal ones.
  for (let count = 0; count < 500; count++) ports.push(await freePort())
  expect(new Set(ports).size).toBe(ports.length)
})
