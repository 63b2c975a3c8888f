import type { EstimateQuery } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { estimateQuery } from '../../data/download-queries.ts'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import { Page, Panel } from '../../views/page.tsx'
import { useDebounced } from '../../views/use-debounced.ts'
import { View } from '../../views/view.tsx'
import { BoughtFiles } from './bought-files.tsx'
import { CommandLine } from './command-line.tsx'
import styles from './downloads.module.css'
import { type DownloadsSearch, type Selection, selectionOf, timeText } from './downloads-search.ts'
import { EstimateFigures } from './estimate-figures.tsx'
import { FileDownload } from './file-download.tsx'
import { FreeLists } from './free-lists.tsx'
import { WhatStep } from './what-step.tsx'
import { WhenStep } from './when-step.tsx'

const TYPING_MS = 300

export function DownloadsPage(): ReactNode {
  return (
    <SignInGate title="Downloads" purpose="Sign in to see what recorded data has, what it costs, and to download it.">
      <Downloads />
    </SignInGate>
  )
}

function Downloads(): ReactNode {
  const search = useSearch({ from: '/downloads' })
  const navigate = useNavigate()
  // The newest finished hour must not change while somebody looks at its price.
  const [openedMs] = useState(Date.now)
  const onChange = (next: DownloadsSearch): void => void navigate({ to: '/downloads', search: next, replace: true })
  return (
    <Page
      title="Downloads"
      lead="Choose what and when. The price and everything that is missing are shown before anything is charged."
    >
      <div className={styles.steps}>
        <WhatStep search={search} onChange={onChange} />
        <WhenStep search={search} openedMs={openedMs} onChange={onChange} />
      </div>
      {search.product === 'bars' || search.product === 'trades' ? (
        <FreeLists search={search} openedMs={openedMs} />
      ) : (
        <HowMuch search={search} openedMs={openedMs} />
      )}
      <BoughtFiles />
    </Page>
  )
}

interface HowMuchProps {
  readonly search: DownloadsSearch
  readonly openedMs: number
}

function HowMuch({ search, openedMs }: HowMuchProps): ReactNode {
  const { done: _, ...chosen } = search
  const settled = useDebounced(JSON.stringify(chosen), TYPING_MS)
  const selection = selectionOf(JSON.parse(settled) as DownloadsSearch, openedMs)
  if (selection.choice.by === 'markets' && selection.choice.ids.length === 0)
    return <Panel title="3. How much">Choose a market first.</Panel>
  return <Estimate selection={selection} choiceKey={settled} />
}

interface EstimateProps {
  readonly selection: Selection
  /** Another choice has a list of files of its own. */
  readonly choiceKey: string
}

function Estimate({ selection, choiceKey }: EstimateProps): ReactNode {
  const estimate = useQuery(estimateQuery(requestOf(selection)))
  return (
    <>
      <Panel title="3. How much" note={estimate.isPlaceholderData ? 'counting again …' : 'free of charge to ask'}>
        <View of={estimate}>
          {(data) => (
            <div className={estimate.isPlaceholderData ? styles.counting : styles.counted}>
              <EstimateFigures of={data} />
              {selection.product === 'hours' && !estimate.isPlaceholderData && (
                <FileDownload key={choiceKey} selection={selection} estimate={data} />
              )}
            </div>
          )}
        </View>
      </Panel>
      <CommandLine selection={selection} />
    </>
  )
}

function requestOf({ product, choice, fromMs, toMs }: Selection): EstimateQuery {
  const estimated: EstimateQuery['product'] = product === 'snapshots' ? product : 'hours'
  const range = { product: estimated, from: timeText(fromMs), to: timeText(toMs) }
  switch (choice.by) {
    case 'markets':
      return { ...range, markets: [...choice.ids] }
    case 'category':
      return { ...range, category: choice.category, venue: choice.venue ?? 'all' }
    case 'series':
      return { ...range, coin: choice.coin, timeframe: choice.timeframe, venue: choice.venue ?? 'all' }
  }
}
