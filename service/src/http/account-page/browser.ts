/** Starts the account page. Its modules run in the browser with their types stripped, so they import only each other. */
import { type Key, listenToKeyForm, showKeys } from './keys.ts'
import {
  capitalised,
  dayText,
  during,
  numberText,
  orShow,
  part,
  request,
  type Session,
  showSession,
} from './page-parts.ts'
import { followInvoices, showInvoices, showPacks } from './purchases.ts'

interface Subscription {
  readonly plan: string
  readonly tier: string
  readonly creditsRemaining: number
  readonly expiresAt: string
  readonly limits: { readonly rpm: number; readonly historyHours: number; readonly maxKeys: number }
}

function showPlan({ tier, plan, creditsRemaining, expiresAt, limits }: Subscription): void {
  part('tier').textContent = capitalised(tier)
  part('credits').textContent = numberText(creditsRemaining)
  part('rate').textContent = numberText(limits.rpm)
  part('history').textContent = limits.historyHours === 0 ? 'All' : `${limits.historyHours} hours`
  part('until-what').textContent = plan === 'free' ? 'Credits renew on' : 'Tier ends on'
  part('until').textContent = dayText(expiresAt)
}

async function refresh(): Promise<void> {
  const [subscription, keys] = await Promise.all([
    request<Subscription>('/v1/payments/subscription'),
    request<Key[]>('/v1/api-keys'),
  ])
  showPlan(subscription)
  showKeys(keys, { tier: subscription.tier, maxKeys: subscription.limits.maxKeys }, refresh)
}

function signOutWith(id: string, everywhere: boolean): void {
  const button = part<HTMLButtonElement>(id)
  button.addEventListener('click', () => {
    void during(button, part('sign-out-problem'), async () => {
      const { goTo } = await request<{ goTo: string }>('/auth/logout', 'POST', { everywhere })
      location.assign(goTo)
    })
  })
}

listenToKeyForm(refresh)
signOutWith('sign-out', false)
signOutWith('sign-out-everywhere', true)

void orShow(part('page-problem'), async () => {
  const session = await request<Session>('/auth/session')
  if (session.signedIn) await refresh()
  showSession(session)
  if (!session.signedIn) return
  await orShow(part('pack-problem'), showPacks)
  await orShow(part('invoice-problem'), () => showInvoices(refresh))
  followInvoices(refresh)
})
