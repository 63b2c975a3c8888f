import { HeadlessBrowser } from '../../service/test/account/headless-browser.ts'
import { type SentRequest, send } from './send.ts'

/** A user who signed in with a browser. */
export class SignedInUser {
  readonly #address: string
  readonly #browser: HeadlessBrowser

  private constructor(address: string, browser: HeadlessBrowser) {
    this.#address = address
    this.#browser = browser
  }

  /** `again`: the identity provider asks the person to prove who they are, as changes by operators need it. */
  static async signIn(address: string, name: string, again = false): Promise<SignedInUser> {
    const browser = new HeadlessBrowser(address, async (path, { method, headers, body }) => {
      const init = { method, headers, redirect: 'manual', ...(body !== undefined && { body }) } as const
      const answer = await fetch(`${address}${path}`, init)
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    })
    const callback = await browser.untilCallbackFrom(`/auth/login?again=${again}`, name)
    const { status, text } = await browser.send(callback)
    if (status !== 303) throw new Error(`${name} could not sign in: ${status} ${text}`)
    return new SignedInUser(address, browser)
  }

  get cookie(): string {
    return this.#browser.cookieHeader
  }

  async accountId(): Promise<string> {
    const { accountId } = JSON.parse((await this.#browser.send('/auth/session')).text)
    return accountId
  }

  /** Headers of a request that changes something, as the console sends it. */
  get headers(): Record<string, string> {
    return { Cookie: this.cookie, Origin: this.#address, 'X-Requested-With': 'bookreel' }
  }

  post(path: string, body: unknown): Promise<unknown> {
    const headers = { ...this.headers, 'Content-Type': 'application/json' }
    return jsonOf(this.#address, { method: 'POST', path, headers, body: JSON.stringify(body) })
  }

  get(path: string): Promise<unknown> {
    return jsonOf(this.#address, { method: 'GET', path, headers: { Cookie: this.cookie } })
  }
}

/** The answer as JSON, undefined without a body; throws when it is an error. */
export async function jsonOf(address: string, request: SentRequest): Promise<unknown> {
  const { status, text } = await send(address, request)
  if (status >= 300) throw new Error(`${request.path} answered ${status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
