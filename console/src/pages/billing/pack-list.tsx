import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { usePreferences } from '../../data/preferences.ts'
import { currenciesQuery, subscriptionQuery } from '../../data/queries.ts'
import controls from '../../views/controls.module.css'
import { Loading, Problem } from '../../views/view.tsx'
import { usdText } from '../../words/formats.ts'
import { type Pack, packTitle, purchaseText } from '../../words/pack-texts.ts'
import styles from './billing.module.css'
import { usePurchase } from './use-purchase.ts'

interface PackListProps {
  readonly packs: readonly Pack[]
  /** From the lowest to the highest. */
  readonly tiers: readonly string[]
}

export function PackList({ packs, tiers }: PackListProps): ReactNode {
  const { data, isPending } = useQuery(subscriptionQuery)
  const { zone } = usePreferences()
  const [coin, setCoin] = useState('')
  // The sentences of the packs depend on the tier, and are longer than none.
  if (isPending) return <Loading />
  return (
    <>
      <Coin value={coin} onChange={setCoin} />
      <ul className={styles.packs}>
        {packs.map((pack) => (
          <PackRow
            key={pack.id}
            pack={pack}
            coin={coin}
            text={data === undefined ? '…' : purchaseText(pack, data, tiers, zone)}
          />
        ))}
      </ul>
    </>
  )
}

interface CoinProps {
  readonly value: string
  readonly onChange: (coin: string) => void
}

/** While the coins are not known, they can be chosen on the payment page only. */
function Coin({ value, onChange }: CoinProps): ReactNode {
  const { data } = useQuery(currenciesQuery)
  return (
    <label className={controls.field}>
      <span className={controls.label}>Pay with</span>
      <select className={controls.input} value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">a coin that I choose on the payment page</option>
        {data?.currencies.map(({ id }) => (
          <option key={id} value={id}>
            {id.toUpperCase()}
          </option>
        ))}
      </select>
    </label>
  )
}

interface PackRowProps {
  readonly pack: Pack
  readonly coin: string
  readonly text: string
}

function PackRow({ pack, coin, text }: PackRowProps): ReactNode {
  const purchase = usePurchase()
  return (
    <li className={styles.pack}>
      <div>
        <strong>{packTitle(pack)}</strong>
        <p className={controls.hint}>{text}</p>
      </div>
      <button
        type="button"
        className={controls.button}
        disabled={purchase.isPending}
        onClick={() => purchase.mutate({ pack: pack.id, ...(coin !== '' && { currency: coin }) })}
        aria-label={`Buy for ${usdText(pack.priceUsd)}: ${packTitle(pack)}`}
      >
        Buy for {usdText(pack.priceUsd)}
      </button>
      {purchase.error !== null && (
        <div className={styles.refusal}>
          <Problem error={purchase.error} />
        </div>
      )}
    </li>
  )
}
