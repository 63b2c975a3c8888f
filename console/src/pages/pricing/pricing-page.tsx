import type { ListPacksReply } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { packsQuery } from '../../data/queries.ts'
import { Page, Panel } from '../../views/page.tsx'
import { Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'
import { capitalised, numberText, usdText } from '../../words/formats.ts'
import { packTitle } from '../../words/pack-texts.ts'
import styles from './pricing-page.module.css'

type Tiers = ListPacksReply['tiers']
type Limits = Tiers[keyof Tiers]

const ROWS: readonly { readonly name: string; readonly text: (limits: Limits) => string }[] = [
  { name: 'Credits a month', text: ({ creditsPerMonth }) => numberText(creditsPerMonth) },
  { name: 'Exact books a day, free', text: ({ freeBooksPerDay }) => numberText(freeBooksPerDay) },
  { name: 'Requests a minute', text: ({ rpm }) => numberText(rpm) },
  { name: 'Streams at once', text: ({ wsMax }) => (wsMax === 0 ? 'none' : numberText(wsMax)) },
  { name: 'History', text: ({ historyHours }) => (historyHours === 0 ? 'all' : `${historyHours} hours`) },
  { name: 'API keys', text: ({ maxKeys }) => numberText(maxKeys) },
  { name: 'Tools for agents', text: ({ mcp }) => (mcp === 'full' ? 'all' : 'all but history') },
  { name: 'Categories', text: ({ categories }) => categories.join(', ') },
]

export function PricingPage(): ReactNode {
  const packs = useQuery(packsQuery)
  return (
    <Page
      title="Pricing"
      lead="Live books, lists, bars, trades and gaps cost no credits on any tier. Pages of stored books, files, replays, and exact books beyond those of a day do; the price is shown before."
    >
      <View of={packs}>
        {(data) => (
          <>
            <TierCards {...data} />
            <Panel title="Credits, once" note={<Link to="/billing">Buy</Link>}>
              <Table
                caption="Packs of credits"
                rows={data.packs.filter(({ tier }) => tier === null)}
                rowKey={({ id }) => id}
                columns={[
                  { name: 'Pack', cell: packTitle },
                  { name: 'Price', isNumber: true, cell: ({ priceUsd }) => usdText(priceUsd) },
                ]}
              />
            </Panel>
          </>
        )}
      </View>
    </Page>
  )
}

function TierCards({ packs, tiers }: ListPacksReply): ReactNode {
  return (
    <ul className={styles.tiers}>
      {Object.entries(tiers).map(([tier, limits]) => {
        const offers = packs.filter((pack) => pack.tier === tier)
        return (
          <li key={tier} className={styles.tier}>
            <h2>{capitalised(tier)}</h2>
            <p className={styles.price}>{priceText(tier, offers)}</p>
            <dl className={styles.limits}>
              {ROWS.map(({ name, text }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{text(limits)}</dd>
                </div>
              ))}
            </dl>
          </li>
        )
      })}
    </ul>
  )
}

/** The tier without a price is the one that every account begins with. */
function priceText(tier: string, offers: readonly ListPacksReply['packs'][number][]): string {
  const [first] = offers
  if (first !== undefined) {
    return offers
      .map(({ priceUsd, months }) => `${usdText(priceUsd)} for ${months === 1 ? 'a month' : `${months} months`}`)
      .join(' · ')
  }
  return tier === 'free' ? 'Free' : 'On request'
}
