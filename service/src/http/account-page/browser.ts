/** Runs in the browser with its types stripped, so it can't import anything. */

interface Key {
  readonly id: string
  readonly label: string
  readonly preview: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly usage: { readonly last30Days: { readonly calls: number; readonly credits: number } }
}

interface Subscription {
  readonly plan: string
  readonly tier: string
  readonly creditsRemaining: number
  readonly expiresAt: string
  readonly limits: { readonly rpm: number; readonly historyHours: number; readonly maxKeys: number }
}

type Session =
  | { readonly signedIn: false }
  | { readonly signedIn: true; readonly email: string | null; readonly name: string | null }

const number = new Intl.NumberFormat()
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no element with the id ${id}`)
  return found as Kind
}

/** Throws an error with the message of the API. */
async function request<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: {
      ...(method !== 'GET' && { 'X-Requested-With': 'bookreel' }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (response.status === 204) return undefined as T
  const read = (await response.json()) as T & { readonly message?: string }
  if (response.ok) return read
  if (response.status === 401) show({ signedIn: false })
  throw new Error(read.message ?? `The request failed with HTTP status ${response.status}. Try again.`)
}

/** The button is disabled while the work runs; errors are shown at the top of the page. */
function onPress(id: string, work: () => Promise<void>): void {
  const button = part<HTMLButtonElement>(id)
  button.addEventListener('click', () => void during(button, work))
}

async function during(button: HTMLButtonElement | undefined, work: () => Promise<void>): Promise<void> {
  const notice = part('notice')
  if (button !== undefined) button.disabled = true
  notice.hidden = true
  try {
    await work()
  } catch (error) {
    notice.textContent = error instanceof Error ? error.message : String(error)
    notice.hidden = false
    notice.scrollIntoView({ block: 'nearest' })
  } finally {
    if (button !== undefined) button.disabled = false
  }
}

function show(session: Session): void {
  part('signed-in').hidden = !session.signedIn
  part('signed-out').hidden = session.signedIn
  part('who').textContent = session.signedIn ? (session.email ?? session.name ?? '') : ''
}

function showPlan({ tier, plan, creditsRemaining, expiresAt, limits }: Subscription): void {
  part('tier').textContent = tier.charAt(0).toUpperCase() + tier.slice(1)
  part('credits').textContent = number.format(creditsRemaining)
  part('rate').textContent = number.format(limits.rpm)
  part('history').textContent = limits.historyHours === 0 ? 'All' : `${limits.historyHours} hours`
  part('until-what').textContent = plan === 'free' ? 'Credits renew on' : 'Tier ends on'
  part('until').textContent = day.format(new Date(expiresAt))
}

function showKeys(keys: readonly Key[], maxKeys: number): void {
  part('key-count').textContent = `${keys.length} of ${maxKeys}`
  part('no-keys').hidden = keys.length > 0
  part('keys').replaceChildren(...keys.map(rowOf))
}

function rowOf(key: Key): Node {
  const row = part<HTMLTemplateElement>('key-row').content.cloneNode(true) as DocumentFragment
  const put = (selector: string, text: string): void => {
    const place = row.querySelector(selector)
    if (place !== null) place.textContent = text
  }
  put('.label', key.label)
  put('.preview', key.preview)
  put('.used', usedOf(key))
  const button = row.querySelector('button')
  button?.setAttribute('aria-label', `Revoke ${key.label}`)
  button?.addEventListener('click', () => {
    if (!confirm(`Revoke the key “${key.label}”? Programs that use it stop working immediately.`)) return
    void during(button, async () => {
      await request(`/v1/api-keys/${key.id}`, 'DELETE')
      part('fresh').hidden = true
      await refresh()
    })
  })
  return row
}

function usedOf({ createdAt, lastUsedAt, expiresAt, usage }: Key): string {
  const { calls, credits } = usage.last30Days
  const facts = [
    `created ${day.format(new Date(createdAt))}`,
    lastUsedAt === null ? 'never used' : `last used ${day.format(new Date(lastUsedAt))}`,
    calls > 0 && `requests: ${number.format(calls)}, credits: ${number.format(credits)} (last 30 days)`,
    expiresAt !== null && `expires ${day.format(new Date(expiresAt))}`,
  ]
  return facts.filter((fact) => fact !== false).join(' · ')
}

async function refresh(): Promise<void> {
  const [subscription, keys] = await Promise.all([
    request<Subscription>('/v1/payments/subscription'),
    request<Key[]>('/v1/api-keys'),
  ])
  showPlan(subscription)
  showKeys(keys, subscription.limits.maxKeys)
}

async function signOut(everywhere: boolean): Promise<void> {
  const { goTo } = await request<{ goTo: string }>('/auth/logout', 'POST', { everywhere })
  location.assign(goTo)
}

const form = part<HTMLFormElement>('new-key')
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const button = form.querySelector('button')
  if (button === null) return
  void during(button, async () => {
    const { key } = await request<{ key: string }>('/v1/api-keys', 'POST', { label: new FormData(form).get('label') })
    form.reset()
    part('fresh-key').textContent = key
    part('fresh').hidden = false
    part('copy').textContent = 'Copy'
    await refresh()
  })
})
onPress('copy', async () => {
  await navigator.clipboard.writeText(part('fresh-key').textContent ?? '')
  part('copy').textContent = 'Copied'
})
onPress('sign-out', () => signOut(false))
onPress('sign-out-everywhere', () => signOut(true))

void during(undefined, async () => {
  const session = await request<Session>('/auth/session')
  if (session.signedIn) await refresh()
  show(session)
})
