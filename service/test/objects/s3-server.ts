import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { openObjectStore } from '../../src/objects/open-object-store.ts'

const CHILD = fileURLToPath(new URL('./s3-server-child.ts', import.meta.url))
/** The access keys that `s3rver` accepts. */
const KEY = 'S3RVER'

interface Changes {
  bucket?: string
  endpoint?: string
  keyId?: string
}

/** A real S3 server with one empty bucket, in a process of its own. */
export class S3Server implements AsyncDisposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'bookreel-s3-'))
  readonly #bucket: string
  #port = 0
  #end: (() => Promise<void>) | undefined

  constructor(bucket: string) {
    this.#bucket = bucket
  }

  async start(): Promise<void> {
    // Its continuation tokens are encrypted with a cipher of the legacy provider.
    const execArgv = ['--openssl-legacy-provider', '--disable-warning=DEP0060']
    const child = fork(CHILD, [this.#directory, this.#bucket, String(this.#port)], { execArgv })
    const [port] = (await once(child, 'message')) as [number]
    this.#port = port
    this.#end = async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }

  /** The objects stay, and `start` uses the same port again. */
  async stop(): Promise<void> {
    await this.#end?.()
    this.#end = undefined
  }

  async open({
    bucket = this.#bucket,
    endpoint = `http://127.0.0.1:${this.#port}`,
    keyId = KEY,
  }: Changes = {}): Promise<ObjectStore> {
    const opened = await openObjectStore({
      OBJECT_STORE_URL: `s3://${bucket}/some/folder`,
      OBJECT_STORE_ENDPOINT: endpoint,
      OBJECT_STORE_REGION: 'us-east-1',
      OBJECT_STORE_KEY_ID: keyId,
      OBJECT_STORE_SECRET: KEY,
    })
    if (opened === undefined) throw new Error('OBJECT_STORE_URL is set')
    return opened
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
