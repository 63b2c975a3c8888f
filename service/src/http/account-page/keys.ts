import { copyOf, dayText, during, numberText, orShow, part, request } from './page-parts.ts'

export interface Key {
  readonly id: string
  readonly label: string
  readonly preview: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly usage: { readonly last30Days: { readonly calls: number; readonly credits: number } }
}

export function showKeys(
  keys: readonly Key[],
  { tier, maxKeys }: { tier: string; maxKeys: number },
  refresh: () => Promise<void>,
): void {
  const working = keys.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > Date.now())
  part('key-count').textContent = `${working.length} of ${maxKeys}`
  part('no-keys').hidden = keys.length > 0
  part('keys').replaceChildren(...keys.map((key) => rowOf(key, refresh)))
  const isFull = working.length >= maxKeys
  const limit = part('key-limit')
  limit.textContent = isFull
    ? `The ${tier} tier allows ${maxKeys === 1 ? '1 working key' : `${maxKeys} working keys`}. To create another one, revoke a key first, or buy a higher tier.`
    : ''
  part<HTMLButtonElement>('create-key').disabled = isFull
}

function rowOf(key: Key, refresh: () => Promise<void>): Node {
  const { row, find } = copyOf('key-row')
  find('.label').textContent = key.label
  find('.preview').textContent = key.preview
  find('.facts').textContent = factsOf(key)
  const button = find<HTMLButtonElement>('button')
  const problem = find('.problem')
  button.setAttribute('aria-label', `Revoke ${key.label}`)
  button.addEventListener('click', () => {
    if (!confirm(`Revoke the key “${key.label}”? Programs that use it stop working immediately.`)) return
    void during(button, problem, async () => {
      await request(`/v1/api-keys/${key.id}`, 'DELETE')
      part('fresh').hidden = true
      await refresh()
    })
  })
  return row
}

function factsOf({ createdAt, lastUsedAt, expiresAt, usage }: Key): string {
  const { calls, credits } = usage.last30Days
  const facts = [
    `created ${dayText(createdAt)}`,
    lastUsedAt === null ? 'never used' : `last used ${dayText(lastUsedAt)}`,
    calls > 0 && `requests: ${numberText(calls)}, credits: ${numberText(credits)} (last 30 days)`,
    expiresAt !== null && `expires ${dayText(expiresAt)}`,
  ]
  return facts.filter((fact) => fact !== false).join(' · ')
}

async function createKey(form: HTMLFormElement): Promise<void> {
  const { key } = await request<{ key: string }>('/v1/api-keys', 'POST', { label: new FormData(form).get('label') })
  form.reset()
  part('fresh-key').textContent = key
  part('fresh').hidden = false
  part('copy').textContent = 'Copy'
}

/** Lets the form create keys. */
export function listenToKeyForm(refresh: () => Promise<void>): void {
  const form = part<HTMLFormElement>('new-key')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const button = part<HTMLButtonElement>('create-key')
    button.disabled = true
    void orShow(part('key-problem'), async () => {
      try {
        await createKey(form)
      } finally {
        button.disabled = false
        // Also after a refusal: the limit may have been reached in another window.
        await refresh()
      }
    })
  })
  const copy = part<HTMLButtonElement>('copy')
  copy.addEventListener('click', () => {
    void during(copy, part('key-problem'), async () => {
      await navigator.clipboard.writeText(part('fresh-key').textContent ?? '')
      copy.textContent = 'Copied'
    })
  })
}
