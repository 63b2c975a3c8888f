/** What all parts of the page share. Runs in the browser. */

export type Session =
  | { readonly signedIn: false }
  | { readonly signedIn: true; readonly email: string | null; readonly name: string | null }

const number = new Intl.NumberFormat()
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

export const numberText = (value: number): string => number.format(value)
export const dayText = (instant: string): string => day.format(new Date(instant))
export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no element with the id ${id}`)
  return found as Kind
}

/** A copy of a template, and the element with a selector in it. */
export function copyOf(templateId: string): {
  row: DocumentFragment
  find: <Kind extends HTMLElement>(selector: string) => Kind
} {
  const row = part<HTMLTemplateElement>(templateId).content.cloneNode(true) as DocumentFragment
  const find = <Kind extends HTMLElement>(selector: string): Kind => {
    const found = row.querySelector<Kind>(selector)
    if (found === null) throw new Error(`the template ${templateId} has no ${selector}`)
    return found
  }
  return { row, find }
}

/** Throws an error with the message of the API. */
export async function request<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
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
  if (response.status === 401) showSession({ signedIn: false })
  throw new Error(read.message ?? `The request failed with HTTP status ${response.status}. Try again.`)
}

export function showSession(session: Session): void {
  part('signed-in').hidden = !session.signedIn
  part('signed-out').hidden = session.signedIn
  part('who').textContent = session.signedIn ? (session.email ?? session.name ?? '') : ''
}

/** Shows the error of the work in `problem`, which is beside the control that started the work. */
export async function orShow(problem: HTMLElement, work: () => Promise<void>): Promise<void> {
  problem.textContent = ''
  try {
    await work()
  } catch (error) {
    problem.textContent = error instanceof Error ? error.message : String(error)
    problem.scrollIntoView({ block: 'nearest' })
  }
}

/** The button is disabled while its work runs. */
export async function during(
  button: HTMLButtonElement,
  problem: HTMLElement,
  work: () => Promise<void>,
): Promise<void> {
  button.disabled = true
  await orShow(problem, work)
  button.disabled = false
}
