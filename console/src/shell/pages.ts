/** The pages of the navigation and of the command palette. */
export const PAGES = [
  { to: '/', name: 'Start', hint: 'state of the service' },
  { to: '/markets', name: 'Markets', hint: 'prices now, and everything that was recorded' },
  { to: '/coverage', name: 'Coverage', hint: 'what is missing, and why, by day and hour' },
  { to: '/downloads', name: 'Downloads', hint: 'files of recorded hours, with the price first' },
  { to: '/keys', name: 'Keys', hint: 'create, limit, rotate and revoke API keys' },
  { to: '/usage', name: 'Usage', hint: 'calls and credits by day' },
  { to: '/credits', name: 'Credits', hint: 'what came in, and what it was spent on' },
  { to: '/billing', name: 'Billing', hint: 'buy packs, see invoices' },
  { to: '/account', name: 'Account', hint: 'tier, credits, sign-out, events' },
  { to: '/status', name: 'Status', hint: 'state, uptime and incidents of the service' },
  { to: '/pricing', name: 'Pricing', hint: 'tiers and packs' },
] as const

/** The same for operators of the service. */
export const OPERATOR_PAGES = [
  { to: '/ops', name: 'Operations', hint: 'board, payment reviews and accounts of the service' },
] as const

/** Pages of the service that are not part of the console. */
export const DOCUMENTS = [
  { href: '/docs/', name: 'API reference', hint: 'every endpoint, with a form to try it' },
] as const
