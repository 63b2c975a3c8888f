import type { ReactNode } from 'react'
import type { ApiKey } from '../../data/account-types.ts'
import { Badge } from '../../views/badge.tsx'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { type Column, Table } from '../../views/table.tsx'
import { numberText, plainText } from '../../words/formats.ts'
import { isIdle, isWorking, lastDayOf } from './key-facts.ts'
import styles from './keys.module.css'

type RowTask = { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly key: ApiKey }

interface KeyTableProps {
  readonly keys: readonly ApiKey[]
  readonly nowMs: number
  /** Credits of this calendar month by key; undefined until they are known. */
  readonly monthCredits: ReadonlyMap<string, number> | undefined
  readonly onTask: (task: RowTask) => void
}

export function KeyTable({ keys, nowMs, monthCredits, onTask }: KeyTableProps): ReactNode {
  const columns: readonly Column<ApiKey>[] = [
    { name: 'Label', cell: (key) => <KeyName of={key} nowMs={nowMs} /> },
    { name: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
    { name: 'Created', cell: ({ createdAt }) => <Instant at={createdAt} dayOnly /> },
    {
      name: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Instant at={lastUsedAt} dayOnly />),
    },
    { name: 'Last day, UTC', cell: ({ expiresAt }) => (expiresAt === null ? 'none' : lastDayOf(expiresAt)) },
    { name: 'Calls today · 30 days', isNumber: true, cell: ({ usage }) => figures(usage, 'calls') },
    { name: 'Credits today · 30 days', isNumber: true, cell: ({ usage }) => figures(usage, 'credits') },
    { name: 'Monthly limit', cell: (key) => <Limit of={key} monthCredits={monthCredits} /> },
    { name: 'Actions', cell: (key) => <Actions of={key} onTask={onTask} /> },
  ]
  return <Table caption="API keys" columns={columns} rows={keys} rowKey={({ id }) => id} />
}

function KeyName({ of: key, nowMs }: { readonly of: ApiKey; readonly nowMs: number }): ReactNode {
  const { label, preview, formerSecretUntil } = key
  const isOverlapping = formerSecretUntil !== null && Date.parse(formerSecretUntil) > nowMs
  return (
    <span className={styles.name}>
      <bdi className={styles.label}>{plainText(label)}</bdi>
      <code>{preview}</code>
      {!isWorking(key, nowMs) && <Badge tone="bad">expired</Badge>}
      {isWorking(key, nowMs) && isIdle(key, nowMs) && <Badge tone="warn">not used for 30 days</Badge>}
      {isOverlapping && (
        <span className={controls.hint}>
          old secret works until <Instant at={formerSecretUntil} />
        </span>
      )}
    </span>
  )
}

function Limit({
  of: { id, creditLimit },
  monthCredits,
}: Pick<KeyTableProps, 'monthCredits'> & { of: ApiKey }): ReactNode {
  if (creditLimit === null) return 'none'
  const spent = monthCredits && (monthCredits.get(id) ?? 0)
  return (
    <span className={styles.limit}>
      {spent === undefined ? numberText(creditLimit) : `${numberText(spent)} of ${numberText(creditLimit)}`}
      {spent !== undefined && (
        <meter
          min={0}
          max={Math.max(1, creditLimit)}
          value={spent}
          title="credits of this calendar month, UTC"
          aria-label={`${numberText(spent)} of ${numberText(creditLimit)} credits spent this month`}
        />
      )}
    </span>
  )
}

function Actions({ of: key, onTask }: { readonly of: ApiKey; readonly onTask: KeyTableProps['onTask'] }): ReactNode {
  const label = plainText(key.label)
  return (
    <span className={styles.actions}>
      <button
        type="button"
        className={controls.plain}
        onClick={() => onTask({ kind: 'edit', key })}
        aria-label={`Edit ${label}`}
      >
        Edit
      </button>
      <button
        type="button"
        className={controls.plain}
        onClick={() => onTask({ kind: 'rotate', key })}
        aria-label={`Rotate ${label}`}
      >
        Rotate
      </button>
      <button
        type="button"
        className={controls.plainDanger}
        onClick={() => onTask({ kind: 'revoke', key })}
        aria-label={`Revoke ${label}`}
      >
        Revoke
      </button>
    </span>
  )
}

function figures({ today, last30Days }: ApiKey['usage'], what: 'calls' | 'credits'): string {
  return `${numberText(today[what])} · ${numberText(last30Days[what])}`
}
