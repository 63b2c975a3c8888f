interface Sent {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly headers: Record<string, string>
  readonly body?: string
}

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends a request to the tested service: over the network, or injected. */
export type SendOurs = (path: string, sent: Sent) => Promise<Received>

export interface Going {
  readonly method?: Sent['method']
  readonly headers?: Record<string, string>
  readonly body?: string
}

const MOST_HOPS = 12

/** Follows redirects and keeps cookies, as a browser does; it runs no script. */
export class HeadlessBrowser {
  readonly origin: string
  readonly #sendOurs: SendOurs
  readonly #cookies = new Map<string, Map<string, string>>()

  constructor(origin: string, sendOurs: SendOurs) {
    this.origin = origin
    this.#sendOurs = sendOurs
  }

  /** Origin of the tested service. */
  cookie(name: string): string | undefined {
    return this.#jarOf(this.origin).get(name)
  }

  setCookie(name: string, value: string): void {
    this.#jarOf(this.origin).set(name, value)
  }

  get cookieHeader(): string {
    return headerOf(this.#jarOf(this.origin))
  }

  /** One request, no redirects. */
  async send(address: string, going: Going = {}): Promise<Received> {
    const url = new URL(address, this.origin)
    const jar = this.#jarOf(url.origin)
    const { method = 'GET', body } = going
    const headers = { ...(jar.size > 0 && { cookie: headerOf(jar) }), ...going.headers }
    const sent: Sent = { method, headers, ...(body !== undefined && { body }) }
    const isOurs = url.origin === this.origin
    const received = isOurs ? await this.#sendOurs(`${url.pathname}${url.search}`, sent) : await sendAbroad(url, sent)
    for (const line of received.headers.getSetCookie()) keep(jar, line)
    return received
  }

  /** Follows all redirects; `stopBefore` stops at an address and returns it without requesting it. */
  async go(address: string, going: Going = {}, stopBefore?: string): Promise<Received & { address: string }> {
    let here = new URL(address, this.origin)
    let received = await this.send(here.href, going)
    for (let hop = 0; received.status >= 300 && received.status < 400; hop++) {
      if (hop === MOST_HOPS) throw new Error(`too many redirects, last to ${here.href}`)
      here = new URL(received.headers.get('location') ?? '', here)
      if (stopBefore !== undefined && here.pathname === stopBefore) break
      received = await this.send(here.href)
    }
    return { ...received, address: here.href }
  }

  /** Signs in at the provider's page; returns the callback address that the provider redirects to. */
  untilCallback(name: string, returnTo = '/app'): Promise<string> {
    return this.untilCallbackFrom(`/auth/login?return_to=${encodeURIComponent(returnTo)}`, name)
  }

  /** The same from any address of that redirect chain. */
  async untilCallbackFrom(address: string, name: string): Promise<string> {
    const form = await this.go(address, {}, '/auth/callback')
    // The provider shows no page to a user who is still signed in there.
    if (new URL(form.address).origin === this.origin) return form.address
    const answered = await this.go(
      form.address,
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ name }).toString(),
      },
      '/auth/callback',
    )
    return answered.address
  }

  /** Completes a sign-in. */
  async signIn(name: string, returnTo?: string): Promise<Received> {
    return this.send(await this.untilCallback(name, returnTo))
  }

  #jarOf(origin: string): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, jar)
    return jar
  }
}

async function sendAbroad(url: URL, { method, headers, body }: Sent): Promise<Received> {
  const answer = await fetch(url, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

function headerOf(jar: ReadonlyMap<string, string>): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...rules] = line.split(';').map((each) => each.trim())
  const name = pair.slice(0, pair.indexOf('='))
  const value = pair.slice(name.length + 1)
  // As servers delete a cookie.
  const isOver = rules.some((rule) => /^(max-age=0$|expires=Thu, 01 Jan 1970)/i.test(rule))
  if (isOver) jar.delete(name)
  else jar.set(name, value)
}
