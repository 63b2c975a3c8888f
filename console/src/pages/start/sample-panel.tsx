import type { Sample, HeatMap as Tile } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useId, useMemo, useState } from 'react'
import { usePreferences } from '../../data/preferences.ts'
import { sampleHeatMapQuery, samplesQuery } from '../../data/sample-queries.ts'
import controls from '../../views/controls.module.css'
import { HeatMap } from '../../views/heat-map/heat-map.tsx'
import { Instant } from '../../views/instant.tsx'
import { Panel } from '../../views/page.tsx'
import { View } from '../../views/view.tsx'
import { clockText, numberText, percentText, plainText } from '../../words/formats.ts'
import { sizeText } from '../../words/market-texts.ts'
import { causeName } from '../../words/proof-badges.ts'
import { type SampleMap, sampleColumn, sampleMap } from './sample-data.ts'
import styles from './start-page.module.css'

/** Below the map; its script comes while the sample is requested, so that nothing moves. */
const sampleFile = import('./sample-file.tsx').then((part) => ({ default: part.SampleFile }))
const SampleFile = lazy(() => sampleFile)

const NO_SAMPLE = 'This service has no public sample. Its operator can make one; sign in to look at live markets.'
const NO_TILES = 'This sample was made without a heat map. Its file can be downloaded.'
const LEVELS = 6

/** A recorded hour that everybody may look at. */
export function SamplePanel(): ReactNode {
  const samples = useQuery(samplesQuery)
  return (
    <div className={styles.sampleFrame}>
      <View of={samples} empty={(list) => (list.length === 0 ? NO_SAMPLE : undefined)}>
        {([sample]) => sample !== undefined && <SampleHour sample={sample} />}
      </View>
    </div>
  )
}

function SampleHour({ sample }: { readonly sample: Sample }): ReactNode {
  const tiles = useQuery(sampleHeatMapQuery(sample.id))
  const { hour, question, coverage, gap_count: gaps, rows } = sample
  return (
    <Panel
      title="A recorded hour"
      note={
        <>
          <Instant at={hour} /> · {numberText(rows)} rows ·{' '}
          {coverage.share === null ? '' : `${percentText(coverage.share * 100)} complete · `}
          {gaps === 1 ? '1 gap' : `${numberText(gaps)} gaps`}
        </>
      }
    >
      <p>
        <bdi>{plainText(question)}</bdi>
      </p>
      <div className={styles.mapFrame}>
        <View of={tiles} empty={(list) => (list.length === 0 ? NO_TILES : undefined)}>
          {(list) => <ScrubbedMap sample={sample} tiles={list} />}
        </View>
      </div>
      <Suspense>
        <SampleFile sample={sample} />
      </Suspense>
    </Panel>
  )
}

interface ScrubbedMapProps {
  readonly sample: Sample
  readonly tiles: readonly Tile[]
}

function ScrubbedMap({ sample, tiles }: ScrubbedMapProps): ReactNode {
  const map = useMemo(() => sampleMap(sample, tiles), [sample, tiles])
  const [atMs, setAtMs] = useState(() => (map === undefined ? 0 : (map.fromMs + map.toMs) / 2))
  const { zone } = usePreferences()
  const id = useId()
  if (map === undefined) return NO_TILES
  const { data, view, fromMs, toMs, columnMs } = map
  const select = (ms: number): void => setAtMs(Math.min(toMs - columnMs, Math.max(fromMs, ms)))
  return (
    <div className={styles.scrubbed}>
      <div>
        <HeatMap data={data} view={view} playheadMs={atMs} onSelect={select} />
        <div className={styles.scrubber}>
          <label htmlFor={id}>Time</label>
          <input
            id={id}
            type="range"
            min={fromMs}
            max={toMs - columnMs}
            step={columnMs}
            value={atMs}
            aria-valuetext={clockText(atMs, zone)}
            onChange={({ target }) => select(Number(target.value))}
          />
          <output htmlFor={id}>{clockText(atMs, zone)}</output>
        </div>
      </div>
      <ColumnBook map={map} atMs={atMs} />
    </div>
  )
}

/** The book at the scrubber. A column is several slots, so it is not a stored row. */
function ColumnBook({ map, atMs }: { readonly map: SampleMap; readonly atMs: number }): ReactNode {
  const column = sampleColumn(map, atMs, LEVELS)
  const [gap] = map.data.gapsBetween(atMs, atMs + map.columnMs)
  const seconds = numberText(map.columnMs / 1_000)
  return (
    <div className={styles.book}>
      <p className={controls.hint}>≈ largest sizes of {seconds} s, token UP</p>
      {column === undefined ? (
        <p>
          <strong>Nothing is stored here.</strong> {gap === undefined ? '' : `Cause: ${causeName(gap.cause)}.`}
        </p>
      ) : (
        <table className={styles.levels} aria-label="Book at the scrubber">
          <thead>
            <tr>
              <th scope="col">Price</th>
              <th scope="col">Size</th>
            </tr>
          </thead>
          <tbody>
            {column.asks.toReversed().map(({ price, size }) => (
              <tr key={`ask ${price}`} data-side="ask">
                <td>{price.toFixed(2)}</td>
                <td>≈ {sizeText(size)}</td>
              </tr>
            ))}
            {column.bids.map(({ price, size }) => (
              <tr key={`bid ${price}`} data-side="bid">
                <td>{price.toFixed(2)}</td>
                <td>≈ {sizeText(size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {column?.isSuspect === true && <p className={controls.hint}>In doubt: {causeName(gap?.cause ?? null)}</p>}
    </div>
  )
}
