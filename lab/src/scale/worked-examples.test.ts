import { expect, test } from 'vitest'
import { type Installation, needsOf } from './worked-examples.ts'

const cost = (cpuS: number, bytes: number) => ({ cpuS, bytes, count: 1 })
const COSTS = {
  recorder: { fixedCores: 0.1, rowS: 100e-6, frameS: 50e-6 },
  rowsPerMarketSecond: 2,
  framesPerChange: 1.5,
  framesPerMarketSecond: 3,
  busRow: cost(20e-6, 500),
  archivedRow: cost(60e-6, 10),
  hotRow: cost(40e-6, 0),
  serving: {
    liveBook: cost(200e-6, 5_000),
    historyPage: cost(1e-3, 1),
    streamFrame: cost(10e-6, 1_000),
    replayedRow: cost(1e-6, 1),
    charge: cost(1e-6, 0),
    exportHour: cost(1, 1),
  },
  memory: {
    capture: { fixed: 100, each: 0.1 },
    gateway: { fixed: 100, each: 0.01 },
    api: { fixed: 100, each: 0.01 },
  },
  receivedBytesPerFrame: 800,
}
const WANTED: Installation = {
  title: 'two recorders',
  markets: 1_000,
  clients: 100,
  requestsPerSecond: 500,
  recorders: 2,
  standbys: 1,
  busReplicas: 3,
  archiveCopies: 2,
  coresEach: 2,
}

test('every market is followed twice with a standby; replicas and copies count for bus, archive and disk', () => {
  const needs = needsOf(COSTS, WANTED)
  expect(needs.rowsPerSecond).toBe(2_000)
  expect(needs.cores.recorders).toBeCloseTo(2 * 0.1 + 2 * (2_000 * 100e-6 + 3_000 * 50e-6))
  expect(needs.cores.bus).toBeCloseTo(3 * 2_000 * 20e-6)
  expect(needs.cores.archive).toBeCloseTo(2 * 2_000 * 60e-6)
  expect(needs.diskTbPerMonth).toBeCloseTo((2 * 2_000 * 10 * 2_592_000) / 1e12)
  expect(needs.busMbitPerSecond).toBeCloseTo((3 * 2_000 * 500 * 8) / 1e6)
  expect(needs.egressMbitPerSecond).toBeCloseTo(((100 * 40 * 1_000 + 500 * 5_000) * 8) / 1e6)
  expect(needs.machines).toBe(Math.ceil(needs.coresTotal / 1))
})
