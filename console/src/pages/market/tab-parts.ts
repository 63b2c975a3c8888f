/** Scripts of the tabs; a browser loads each once. */
export const TAB_PARTS = {
  live: () => import('./live-tab.tsx'),
  history: () => import('./history-tab.tsx'),
  coverage: () => import('./coverage-tab.tsx'),
  data: () => import('./data-tab.tsx'),
  code: () => import('./code-tab.tsx'),
} as const
