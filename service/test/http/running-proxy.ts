import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { boundCommand } from '@bookreel/stack/bound-command'
import { ensureProgram } from '@bookreel/stack/install/ensure-programs'
import { freePort } from '@bookreel/testbed/free-port'
import { until } from '@bookreel/testbed/until'

const run = promisify(execFile)
const CONFIG = fileURLToPath(new URL('../../../deploy/haproxy.cfg', import.meta.url))

/** HAProxy with the configuration that we ship, in front of an API. */
export class RunningProxy implements AsyncDisposable {
  readonly httpPort: number
  readonly httpsPort: number
  /** Of its certificate, for `localhost`. */
  readonly ca: Buffer
  readonly #stop: () => Promise<void>

  private constructor(ports: { http: number; https: number }, ca: Buffer, stop: () => Promise<void>) {
    this.httpPort = ports.http
    this.httpsPort = ports.https
    this.ca = ca
    this.#stop = stop
  }

  /** `api` is its host and port. The configuration is checked first; a warning is an error. */
  static async start(api: string): Promise<RunningProxy> {
    const folder = mkdtempSync(join(tmpdir(), 'bookreel-proxy-'))
    const ports = { http: await freePort(), https: await freePort() }
    const ca = await makeCertificate(folder)
    const program = await ensureProgram('haproxy', () => {})
    const settings = {
      API_ADDRESS: api,
      CERTIFICATE: join(folder, 'both.pem'),
      HTTP_BIND: `127.0.0.1:${ports.http}`,
      HTTPS_BIND: `127.0.0.1:${ports.https}`,
    }
    const command = (...args: string[]) => {
      const { file, args: all, env } = boundCommand({ program, args: [...args, '-f', CONFIG] })
      return [file, all, { env: { ...env, ...settings } }] as const
    }
    await run(...command('-c', '-dW'))
    const [file, args, options] = command('-db')
    const child = spawn(file, args, { ...options, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const proxy = new RunningProxy(ports, ca, async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    })
    await until('the proxy listens', () => accepts(ports.https))
    return proxy
  }

  /** A request over TLS, from this address of the machine. */
  async ask(path: string, { headers = {}, from = '127.0.0.1' } = {}): Promise<{ status: number; body: string }> {
    const { ca, httpsPort: port } = this
    const asked = request({ host: 'localhost', family: 4, localAddress: from, port, ca, path, headers, agent: false })
    const [answer] = await once(asked.end(), 'response')
    return { status: answer.statusCode, body: await text(answer) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop()
  }
}

/** Writes `both.pem`, the certificate and its key. */
async function makeCertificate(folder: string): Promise<Buffer> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await run('openssl', ['req', '-x509', '-days', '2', ...key, ...name, '-out', 'certificate.pem'], { cwd: folder })
  const [certificate, secret] = ['certificate.pem', 'key.pem'].map((file) => readFileSync(join(folder, file)))
  if (certificate === undefined || secret === undefined) throw new Error('openssl wrote no certificate')
  writeFileSync(join(folder, 'both.pem'), Buffer.concat([certificate, secret]))
  return certificate
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
