import { type ReactNode, useEffect, useId } from 'react'
import styles from './page.module.css'

interface PageProps {
  readonly title: string
  readonly lead?: ReactNode
  /** Beside the heading. */
  readonly action?: ReactNode
  readonly children?: ReactNode
}

export function Page({ title, lead, action, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Bookreel`
  }, [title])
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {action}
      </div>
      {children}
    </div>
  )
}

interface PanelProps {
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}

export function Panel({ title, note, children }: PanelProps): ReactNode {
  const id = useId()
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <div className={styles.panelHead}>
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span className={styles.note}>{note}</span>}
      </div>
      {children}
    </section>
  )
}

export interface Figure {
  readonly name: string
  readonly value: ReactNode
  readonly note?: ReactNode
}

export function Figures({ of }: { readonly of: readonly Figure[] }): ReactNode {
  return (
    <dl className={styles.figures}>
      {of.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note !== undefined && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
