import type { Tier } from '@bookreel/service/domain/tier'
import type { Page } from '@bookreel/testbed/browser/real-browser'

/** What the addresses of the pages are made of. */
export interface Recorded {
  /** A market of the finished hour. */
  readonly slug: string
}

export interface Role {
  readonly name: string
  /** Undefined for a visitor who does not sign in. */
  readonly email?: string
  readonly tier: Tier
  /** Signed in already. */
  readonly pages: (recorded: Recorded, page: Page) => readonly string[] | Promise<readonly string[]>
}

/** The four groups of users, and the pages on which each finds what it came for; first somebody who only looks. */
export const ROLES: readonly Role[] = [
  {
    name: 'visitor',
    tier: 'free',
    pages: ({ slug }) => [
      '/app',
      '/app/markets',
      '/app/m/BTC/5m',
      `/app/m/${slug}?tab=coverage`,
      '/app/coverage',
      '/app/pricing',
      '/app/status',
      '/app/keys',
    ],
  },
  {
    name: 'trader',
    email: 'trader@example.test',
    tier: 'pro',
    pages: ({ slug }) => [
      '/app',
      '/app/markets',
      '/app/m/BTC/5m',
      `/app/m/${slug}?tab=history`,
      `/app/m/${slug}?tab=code`,
    ],
  },
  {
    name: 'researcher',
    email: 'researcher@example.test',
    tier: 'scale',
    pages: ({ slug }) => [
      '/app/markets?view=ever',
      `/app/m/${slug}?tab=coverage`,
      `/app/m/${slug}?tab=data`,
      '/app/coverage',
      '/app/downloads',
    ],
  },
  {
    name: 'account owner',
    email: 'owner@example.test',
    tier: 'free',
    pages: async (_, page) => [
      '/app/keys',
      '/app/usage',
      '/app/credits',
      '/app/account',
      '/app/billing',
      `/app/billing/${await newInvoice(page)}`,
      '/app/pricing',
    ],
  },
  { name: 'operator', email: 'operator@example.test', tier: 'free', pages: () => ['/app/ops', '/app/status'] },
]

/** Of the first pack; returns its id. */
function newInvoice(page: Page): Promise<string> {
  return page.evaluate(`(async () => {
    const { packs: [pack] } = await fetch('/v1/payments/packs').then((answer) => answer.json())
    const answer = await fetch('/v1/payments/create-invoice', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-requested-with': 'bookreel' },
      body: JSON.stringify({ pack: pack.id }),
    })
    return (await answer.json()).invoiceId
  })()`)
}
