import { constants, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { wallClock } from '../../domain/clock.ts'

/** What a handshake is signed with: the id of an API key with the scope `read`, and its RSA key as PEM text. */
export interface ApiKey {
  keyId: string
  privateKey: string
}

/** The path that the venue checks; an address of a proxy may have more in front of it. */
const SIGNED_PATH = '/trade-api/ws/v2'

/** Makes the headers of a WebSocket handshake. Throws at once when the key is unusable. */
export function handshakeHeaders({
  keyId,
  privateKey,
}: {
  readonly keyId?: string | undefined
  readonly privateKey?: string | undefined
}): () => Record<string, string> {
  if (keyId !== undefined && privateKey !== undefined) return handshakeSigner({ keyId, privateKey })
  return () => {
    throw new Error('a handshake with Kalshi needs a key')
  }
}

export function handshakeSigner({ keyId, privateKey }: ApiKey, nowMs: () => number = wallClock) {
  const key = rsaKeyIn(privateKey)
  return (): Record<string, string> => {
    const timestamp = String(Math.floor(nowMs()))
    return {
      'KALSHI-ACCESS-KEY': keyId,
      'KALSHI-ACCESS-TIMESTAMP': timestamp,
      'KALSHI-ACCESS-SIGNATURE': signatureOf(`${timestamp}GET${SIGNED_PATH}`, key),
    }
  }
}

function signatureOf(text: string, key: KeyObject): string {
  const padding = constants.RSA_PKCS1_PSS_PADDING
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  return sign('sha256', Buffer.from(text), { key, padding, saltLength }).toString('base64')
}

function rsaKeyIn(pem: string): KeyObject {
  const key = parsed(pem)
  if (key?.asymmetricKeyType !== 'rsa')
    throw new Error('the private key of Kalshi must be an RSA key as PEM text, as the venue offers it for download')
  return key
}

function parsed(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
