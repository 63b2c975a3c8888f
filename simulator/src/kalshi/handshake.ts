import { constants, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Switchboard } from '../faults/switchboard.ts'

/** A key with which clients sign the handshake of the simulated venue. It opens nothing else. */
export interface KalshiKey {
  readonly id: string
  readonly privateKeyPem: string
}

export interface Refusal {
  status: number
  body: string
}

/** The venue's own path: the prefix of the simulator is not signed. */
const SIGNED_PATH = '/trade-api/ws/v2'
const TOLERATED_SKEW_MS = 5_000
const MOST_CONNECTIONS = 200
const KEY_ID = 'b00c5ee1-0000-4000-a000-5e1f51a7ed00'

let keyOfProcess: KalshiKey | undefined

/** Making a key takes a tenth of a second, so all simulators of a process have the same one. */
export function simulatedKey(): KalshiKey {
  keyOfProcess ??= {
    id: KEY_ID,
    privateKeyPem: generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }).privateKey,
  }
  return keyOfProcess
}

/** Admits clients that signed their handshake with the key. */
export class Handshake {
  readonly #keyId: string
  readonly #publicKey: KeyObject
  readonly #faults: Switchboard
  readonly #worldNowMs: () => number

  constructor(key: KalshiKey, faults: Switchboard, worldNowMs: () => number) {
    this.#keyId = key.id
    this.#publicKey = createPublicKey(key.privateKeyPem)
    this.#faults = faults
    this.#worldNowMs = worldNowMs
  }

  /** Why the client is not let in; undefined if it is. */
  refusal(headers: IncomingHttpHeaders, connections: number): Refusal | undefined {
    const time = String(headers['kalshi-access-timestamp'] ?? '')
    if (headers['kalshi-access-key'] !== this.#keyId) return unauthorised('NOT_FOUND')
    if (!this.#isSigned(time, String(headers['kalshi-access-signature'] ?? '')))
      return unauthorised('INCORRECT_API_KEY_SIGNATURE')
    if (!this.#isInTime(Number(time))) return unauthorised('HEADER_TIMESTAMP_EXPIRED')
    if (connections >= MOST_CONNECTIONS) return { status: 429, body: '{"error":"too many requests"}' }
    return undefined
  }

  #isSigned(time: string, signature: string): boolean {
    const key = {
      key: this.#publicKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    }
    return verify('sha256', Buffer.from(`${time}GET${SIGNED_PATH}`), key, Buffer.from(signature, 'base64'))
  }

  /** A client may live in the time of the simulated world or in real time. */
  #isInTime(signedMs: number): boolean {
    const fault = this.#faults.strike('wrong-handshake-clock', { feed: 'kalshi' })
    const offsetMs = fault?.options.ms ?? 0
    return [Date.now(), this.#worldNowMs()].some((nowMs) => Math.abs(nowMs + offsetMs - signedMs) <= TOLERATED_SKEW_MS)
  }
}

export function unauthorised(details: string): Refusal {
  return { status: 401, body: `{"code":"authentication_error","details":"${details}"}` }
}
