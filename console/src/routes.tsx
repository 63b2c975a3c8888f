import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { seriesSlug } from './data/market-queries.ts'
import { queryClient } from './data/query-client.ts'
import { readCoverageSearch } from './pages/coverage/coverage-search.ts'
import { readDownloadsSearch } from './pages/downloads/downloads-search.ts'
import { requestMarketEarly } from './pages/market/early-requests.ts'
import { readMarketSearch } from './pages/market/market-search.ts'
import { requestListEarly } from './pages/markets/early-requests.ts'
import { lastPlace } from './pages/markets/last-place.ts'
import { readMarketsSearch } from './pages/markets/markets-search.ts'
import { readOpsSearch } from './pages/ops/ops-search.ts'
import { readUsageSearch } from './pages/usage/usage-search.ts'
import { Layout } from './shell/layout.tsx'
import { NotFound } from './shell/not-found.tsx'
import { PageFailed } from './shell/page-failed.tsx'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: PageFailed })

const tree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/start/start-page.tsx'), 'StartPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/downloads',
    validateSearch: readDownloadsSearch,
    component: lazyRouteComponent(() => import('./pages/downloads/downloads-page.tsx'), 'DownloadsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/credits',
    component: lazyRouteComponent(() => import('./pages/credits/credits-page.tsx'), 'CreditsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/keys',
    component: lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/usage',
    validateSearch: readUsageSearch,
    component: lazyRouteComponent(() => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account',
    component: lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/billing',
    component: lazyRouteComponent(() => import('./pages/billing/billing-page.tsx'), 'BillingPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/billing/$invoice',
    component: lazyRouteComponent(() => import('./pages/billing/invoice-page.tsx'), 'InvoicePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/pricing',
    component: lazyRouteComponent(() => import('./pages/pricing/pricing-page.tsx'), 'PricingPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/markets',
    validateSearch: readMarketsSearch,
    // The link of the navigation has no filters; it returns to those of before.
    beforeLoad: ({ search, cause }) => {
      const { search: last } = lastPlace()
      if (cause !== 'enter') return
      const isLink = Object.keys(search).length === 0 && Object.keys(last).length > 0
      if (isLink) throw redirect({ to: '/markets', search: last, replace: true })
      requestListEarly(queryClient, search)
    },
    component: lazyRouteComponent(() => import('./pages/markets/markets-page.tsx'), 'MarketsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/coverage',
    validateSearch: readCoverageSearch,
    component: lazyRouteComponent(() => import('./pages/coverage/coverage-page.tsx'), 'CoveragePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/m/$market',
    validateSearch: readMarketSearch,
    beforeLoad: ({ params, search, cause }) => {
      if (cause === 'enter') requestMarketEarly(queryClient, params.market, search.tab)
    },
    component: lazyRouteComponent(() => import('./pages/market/market-page.tsx'), 'MarketPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/m/$coin/$timeframe',
    validateSearch: readMarketSearch,
    beforeLoad: ({ params, search, cause }) => {
      if (cause === 'enter') requestMarketEarly(queryClient, seriesSlug(params.coin, params.timeframe), search.tab)
    },
    component: lazyRouteComponent(() => import('./pages/market/market-page.tsx'), 'SeriesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/status',
    component: lazyRouteComponent(() => import('./pages/status/status-page.tsx'), 'StatusPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/ops',
    validateSearch: readOpsSearch,
    component: lazyRouteComponent(() => import('./pages/ops/ops-page.tsx'), 'OpsPage'),
  }),
])

export const router = createRouter({
  routeTree: tree,
  basepath: '/app',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageFailed,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
