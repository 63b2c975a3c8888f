import { type ToggleEventHandler, useState } from 'react'

/** Whether a `details` element was ever opened, so that its content is fetched only then. */
export function useOpened(): [boolean, { readonly onToggle: ToggleEventHandler<HTMLDetailsElement> }] {
  const [isOpened, setOpened] = useState(false)
  return [isOpened, { onToggle: ({ newState }) => newState === 'open' && setOpened(true) }]
}
