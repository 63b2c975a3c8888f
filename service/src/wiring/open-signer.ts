import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Signer } from '../stores/files/manifests.ts'

const HOW = 'Make one with: openssl genpkey -algorithm ed25519'

/** The signer with this private key (PEM), or undefined without one. */
export function openSigner(pem: string | undefined): Signer | undefined {
  if (pem === undefined) return undefined
  const privateKey = readKey(pem)
  const { x: publicKey = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return {
    keyId: createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex').slice(0, 16),
    publicKey,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  }
}

function readKey(pem: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch (error) {
    throw new Error(`MANIFEST_KEY is not a private key in PEM format. ${HOW}`, { cause: error })
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`MANIFEST_KEY must be an Ed25519 key. ${HOW}`)
  return key
}
