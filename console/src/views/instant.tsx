import type { ReactNode } from 'react'
import { usePreferences } from '../data/preferences.ts'
import { dayText, instantText } from '../words/formats.ts'

/** The other time zone is in the tooltip. */
export function Instant({ at, dayOnly }: { readonly at: string; readonly dayOnly?: boolean }): ReactNode {
  const { zone } = usePreferences()
  const other = instantText(at, zone === 'utc' ? 'local' : 'utc')
  return (
    <time dateTime={at} title={other}>
      {dayOnly === true ? dayText(at, zone) : instantText(at, zone)}
    </time>
  )
}
