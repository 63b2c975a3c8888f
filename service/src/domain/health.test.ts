import { describe, expect, test } from 'vitest'
import { overallState, pipelineState, type ServiceStates } from './health.ts'

const WELL: ServiceStates = { analytics_store: 'ok', cache: 'ok', pipeline: 'ok', websocket: 'off', accounts: 'ok' }

test.each<[string, Partial<ServiceStates>, string]>([
  ['what is off is no trouble', {}, 'ok'],
  ['without history', { analytics_store: 'down' }, 'degraded'],
  ['without the present', { cache: 'down' }, 'degraded'],
  ['without accounts', { accounts: 'down' }, 'degraded'],
  ['without new rows', { pipeline: 'down' }, 'degraded'],
  ['a socket that is off does not hide one that is down', { websocket: 'down' }, 'degraded'],
  ['without history and the present', { analytics_store: 'down', cache: 'down' }, 'down'],
  ['without anything', { analytics_store: 'down', cache: 'down', pipeline: 'down', accounts: 'down' }, 'down'],
])('%s', (_, changed, expected) => {
  expect(overallState({ ...WELL, ...changed })).toBe(expected)
})

describe('the pipeline', () => {
  const FLOWING = { isBusUp: true, newestRowAgeMs: 300, isCapturing: true, isRoleMissing: false }

  test.each([
    ['flows', {}, 'ok'],
    ['flows, though nobody says so', { isCapturing: false }, 'ok'],
    ['flows where the cache is away but capture counts on', { newestRowAgeMs: undefined }, 'ok'],
    ['has lost a role on the way', { isRoleMissing: true }, 'degraded'],
    ['can no longer be heard', { isBusUp: false }, 'degraded'],
    ['stopped some seconds ago', { newestRowAgeMs: 4_000, isCapturing: false }, 'degraded'],
    ['stopped longer ago than a book is served', { newestRowAgeMs: 61_000, isCapturing: false }, 'down'],
    ['captures what reaches no caller', { newestRowAgeMs: 61_000 }, 'degraded'],
    ['stopped with the bus', { newestRowAgeMs: 4_000, isBusUp: false }, 'down'],
    ['never started', { newestRowAgeMs: undefined, isCapturing: false }, 'down'],
  ] as const)('%s', (_, changed, expected) => {
    expect(pipelineState({ ...FLOWING, ...changed })).toBe(expected)
  })
})
