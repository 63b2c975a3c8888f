import { expect, test } from 'vitest'
import { describeConfig, readConfig } from './config.ts'

const NEEDED = {
  CLICKHOUSE_URL: 'http://127.0.0.1:8123',
  CLICKHOUSE_USER: 'u',
  CLICKHOUSE_PASSWORD: 'p',
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgres://127.0.0.1/bookreel',
  REDIS_URL: 'redis://127.0.0.1',
}

test('the engines are enough: everything else has a default', () => {
  expect(readConfig(NEEDED)).toMatchObject({ SHARDS: 8, LOG_LEVEL: 'info', CLICKHOUSE_LAYOUT: 'single' })
})

test('all that is missing or wrong is named at once', () => {
  const read = () => readConfig({ ...NEEDED, CLICKHOUSE_URL: 'nonsense', SHARDS: '0', REDIS_URL: undefined })
  for (const name of ['CLICKHOUSE_URL', 'SHARDS', 'REDIS_URL']) expect(read).toThrow(name)
})

test('every setting says what it means', () => {
  for (const { name, meaning } of describeConfig()) expect(meaning, name).not.toBe('')
  const required = describeConfig().filter(({ usual }) => usual === 'required')
  expect(new Set(required.map(({ name }) => name))).toEqual(new Set(Object.keys(NEEDED)))
})
