import './style/tokens.css'
import './style/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyTheme } from './data/preferences.ts'
import { queryClient } from './data/query-client.ts'
import { sessionQuery } from './data/session.ts'
import { router } from './routes.tsx'

applyTheme()
// Almost every page waits for this answer; the scripts of the page are loaded meanwhile.
void queryClient.prefetchQuery(sessionQuery)
const root = document.getElementById('root')
if (root === null) throw new Error('the page has no element with the id root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
