import type { FastifyInstance } from 'fastify'
import type { KalshiWorld } from './kalshi-world.ts'

const SHARDS = ['default', 'combos', 'crypto and commodities', 'tennis, baseball and basketball']
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const ALL_DAY = [{ open_time: '00:00', close_time: '00:00' }]
const SCHEDULE = {
  schedule: {
    standard_hours: [
      {
        start_time: '2025-01-01T00:00:00Z',
        end_time: '2035-01-01T00:00:00Z',
        ...Object.fromEntries(WEEKDAYS.map((day) => [day, day === 'thursday' ? thursday() : ALL_DAY])),
      },
    ],
    maintenance_windows: [],
  },
}

function thursday(): object[] {
  return [
    { open_time: '00:00', close_time: '03:00' },
    { open_time: '05:00', close_time: '00:00' },
  ]
}

/** Whether and when the exchange trades. */
export function exchangeRoutes(app: FastifyInstance, world: KalshiWorld): void {
  app.get('/exchange/status', () => {
    const state = { exchange_active: true, trading_active: !world.isPaused }
    return {
      ...state,
      intra_exchange_transfers_active: true,
      exchange_index_statuses: SHARDS.map((description, index) => ({ exchange_index: index, description, ...state })),
    }
  })
  app.get('/exchange/schedule', () => SCHEDULE)
}
