import { generate } from 'lean-qr'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Invoice } from '../../data/account-types.ts'
import controls from '../../views/controls.module.css'
import { CopyButton } from '../../views/copy-button.tsx'
import { Panel } from '../../views/page.tsx'
import { missingAmount } from '../../words/invoice-texts.ts'
import styles from './billing.module.css'

/** Where and how much to pay: address and amount when the processor reports them, and its payment page. */
export function PaymentDetails({ invoice }: { readonly invoice: Invoice }): ReactNode {
  const { invoiceUrl, paymentUri, address, addressMemo, amountDue, amountReceived, payCurrency } = invoice
  const amount = missingAmount(amountDue, amountReceived) ?? amountDue
  const isSafe = invoiceUrl !== null && /^https?:/.test(invoiceUrl)
  // The link names the whole amount, so a rest is paid to the address alone.
  const link = amount === amountDue ? paymentUri : null
  const code = address === null ? (isSafe ? invoiceUrl : undefined) : (link ?? address)
  return (
    <Panel title="Payment">
      <div className={styles.payment}>
        {code !== undefined && <QrCode text={code} />}
        <div className={styles.facts}>
          {address !== null && (
            <dl className={styles.facts}>
              {amount !== null && <Fact name={`Amount, ${payCurrency?.toUpperCase() ?? 'coins'}`} value={amount} />}
              <Fact name="Address" value={address} />
              {addressMemo !== null && <Fact name="Memo, must be sent too" value={addressMemo} />}
              {link !== null && <Fact name="Link for wallets" value={link} />}
            </dl>
          )}
          {address === null && payCurrency !== null && (
            <p>
              You pay with {payCurrency.toUpperCase()}. Amount and address appear here as soon as the payment processor
              reports them.
            </p>
          )}
          {isSafe && (
            <div className={controls.row}>
              <a className={controls.primary} href={invoiceUrl}>
                Open the payment page
              </a>
            </div>
          )}
        </div>
      </div>
    </Panel>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
        <CopyButton text={value} what={name.toLowerCase()} />
      </dd>
    </div>
  )
}

function QrCode({ text }: { readonly text: string }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (canvas.current !== null) generate(text).toCanvas(canvas.current, { padX: 0, padY: 0 })
  }, [text])
  return <canvas ref={canvas} className={styles.code} role="img" aria-label="QR code of the payment" />
}
