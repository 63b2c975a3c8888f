import { isDeeperThan } from '../domain/json-depth.ts'

/** Processors send at most three levels. */
const MAX_DEPTH = 16

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON object of a callback; undefined for any other bytes, which may come from anybody. */
export function readCallbackBody(rawBody: Buffer): object | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(rawBody))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && !isDeeperThan(value, MAX_DEPTH) ? value : undefined
  } catch {
    return undefined
  }
}
