import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import controls from '../../views/controls.module.css'
import { CopyButton } from '../../views/copy-button.tsx'
import { Instant } from '../../views/instant.tsx'
import { Panel } from '../../views/page.tsx'
import type { CodeSample, TimeRange } from './code-sample.ts'
import { momentIn, rangeIn, samplesOf, TOPICS, type Topic, usualRange } from './code-samples.ts'
import styles from './code-tab.module.css'
import type { MarketTabProps } from './market-tab-props.ts'

const TOPIC_TEXTS: Readonly<Record<Topic, string>> = {
  'live book': 'The book of this moment; free.',
  'live stream': 'Every slot as it is recorded; free, needs a tier with streams.',
  'book at a moment': 'The stored book of one moment, that of the playhead; free.',
  replay: 'The frames of the range, from the playhead on, as a live stream sends them; costs credits.',
  bars: 'Open, high, low and close of each minute; free.',
  'stored books': 'Every stored book with all levels; costs credits. The price is known before: add dry_run=true.',
}

const WITH_RANGE: readonly Topic[] = ['replay', 'bars', 'stored books']

/** The code that reads what the page shows. */
export function CodeTab({ market, side }: MarketTabProps): ReactNode {
  const isOver = market.status === 'expired' || market.status === 'settling'
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const usual = useMemo(() => usualRange(market.end_date, Date.now()), [market.end_date])
  const range = rangeIn(search) ?? usual
  const at = momentIn(search)
  const [topic, setTopic] = useState<Topic>(at !== undefined ? 'book at a moment' : isOver ? 'bars' : 'live book')
  const view = { baseUrl: location.origin, marketId: market.market_id, side, range, at: at ?? range.from }
  return (
    <div className={styles.tab}>
      <div className={controls.row}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a legend of its own */}
        <div className={styles.topics} role="group" aria-label="What the code reads">
          {TOPICS.map((each) => (
            <button
              key={each}
              type="button"
              className={each === topic ? controls.primary : controls.button}
              aria-pressed={each === topic}
              onClick={() => setTopic(each)}
            >
              {each}
            </button>
          ))}
        </div>
        <span className={controls.hint}>
          {TOPIC_TEXTS[topic]} {WITH_RANGE.includes(topic) && <Range range={range} />}
        </span>
      </div>
      {samplesOf(topic, view).map((sample) => (
        <Sample key={sample.language} sample={sample} />
      ))}
      <p className={controls.hint}>
        <Link to="/keys">Create a key</Link> and put it into the variable <code>BOOKREEL_KEY</code>. The code has no key
        in it, so it can be shared.
      </p>
    </div>
  )
}

function Range({ range }: { readonly range: TimeRange }): ReactNode {
  return (
    <>
      <Instant at={range.from} /> to <Instant at={range.to} />.
    </>
  )
}

function Sample({ sample }: { readonly sample: CodeSample }): ReactNode {
  const { language, needs, code } = sample
  return (
    <Panel title={language} note={<CopyButton text={code} what={`the ${language} code`} />}>
      <pre className={styles.code}>
        <code>{code}</code>
      </pre>
      <p className={controls.hint}>{needs}</p>
    </Panel>
  )
}
