import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, type SubmitEventHandler, useId } from 'react'
import { accountSearchQuery } from '../../data/operator-queries.ts'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { Panel } from '../../views/page.tsx'
import { Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'
import { formText } from '../../words/form-text.ts'
import { capitalised, numberText, plainText } from '../../words/formats.ts'
import { AccountPanel } from './account-panel.tsx'
import styles from './ops.module.css'

const MIN_SEARCH = 2

export function AccountsView(): ReactNode {
  const { q, account } = useSearch({ from: '/ops' })
  return (
    <>
      <SearchForm key={q} text={q ?? ''} />
      {q !== undefined && <Found text={q} />}
      {account !== undefined && <AccountPanel key={account} id={account} />}
    </>
  )
}

function SearchForm({ text }: { readonly text: string }): ReactNode {
  const id = useId()
  const navigate = useNavigate()
  const onSubmit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault()
    const q = formText(new FormData(event.currentTarget), 'q').trim()
    void navigate({ to: '/ops', search: { view: 'accounts', q } })
  }
  return (
    <search>
      <form className={styles.search} onSubmit={onSubmit}>
        <label htmlFor={id} className={styles.hidden}>
          Name, e-mail address, account id or key preview
        </label>
        <input
          id={id}
          name="q"
          type="search"
          className={controls.input}
          placeholder="Name, e-mail address, account id or key preview"
          autoComplete="off"
          required
          minLength={MIN_SEARCH}
          maxLength={200}
          defaultValue={text}
        />
        <button type="submit" className={controls.primary}>
          Search
        </button>
      </form>
    </search>
  )
}

function Found({ text }: { readonly text: string }): ReactNode {
  const found = useQuery(accountSearchQuery(text))
  return (
    <Panel title="Accounts" note="newest first, at most 50">
      <View
        of={found}
        empty={({ accounts }) =>
          accounts.length === 0
            ? 'No account has this text in its name, an e-mail address or a key preview.'
            : undefined
        }
      >
        {({ accounts }) => (
          <Table
            caption="Accounts"
            rows={accounts}
            rowKey={({ id }) => id}
            columns={[
              {
                name: 'Name',
                cell: ({ id, name }) => (
                  <Link to="/ops" search={{ view: 'accounts', q: text, account: id }}>
                    <bdi>{plainText(name)}</bdi>
                  </Link>
                ),
              },
              { name: 'E-mail', cell: ({ emails }) => <bdi>{plainText(emails.join(', ')) || '–'}</bdi> },
              { name: 'Tier', cell: ({ tier }) => capitalised(tier) },
              { name: 'Credits', isNumber: true, cell: ({ balance }) => numberText(balance) },
              { name: 'Created', isNumber: true, cell: ({ created_at: at }) => <Instant at={at} dayOnly /> },
            ]}
          />
        )}
      </View>
    </Panel>
  )
}
