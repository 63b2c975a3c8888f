import type { SingleMarket } from '@bookreel/sdk'
import { WrongUse } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** Called when no recorded window contains the time in the requested slug, because the service then returns the current window. */
export type OnOtherWindow = (requested: string, current: string) => void

const ENDS_WITH_TIME = /-\d+$/

export function checkWindow(
  requested: string,
  { slug, matched_by }: Pick<SingleMarket, 'slug' | 'matched_by'>,
  onOtherWindow: OnOtherWindow,
): void {
  if (matched_by === 'current_window' && ENDS_WITH_TIME.test(requested)) onOtherWindow(requested, slug)
}

export function noteOtherWindow(terminal: Pick<Terminal, 'note'>): OnOtherWindow {
  return (requested, current) =>
    terminal.note(`No recorded window contains the time in ${requested}; using the current window ${current}.`)
}

export const refuseOtherWindow: OnOtherWindow = (requested, current) => {
  throw new WrongUse(
    `No recorded window contains the time in ${requested}. Name a recorded window, the current window ${current}, or coin/timeframe (BTC/5m) for every recorded window in the range.`,
  )
}
