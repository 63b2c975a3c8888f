import { numberText } from './formats.ts'

const PARTS = 1_000_000

/** `99.812 %`; rounded down, so that 100 means exactly 100. Shares of the service have six digits. */
export function shareText(share: number): string {
  if (share === 1) return '100 %'
  const thousandths = Math.floor(Math.round(share * PARTS) / 10)
  return `${(thousandths / 1_000).toFixed(3)} %`
}

/** `162 slots missing, 4 suspect` */
export function lossText({ missing, suspect }: { readonly missing: number; readonly suspect: number }): string {
  const parts = [
    ...(missing > 0 ? [`${countText(missing)} missing`] : []),
    ...(suspect > 0 ? [`${countText(suspect)} suspect`] : []),
  ]
  return parts.length === 0 ? 'nothing missing' : parts.join(', ')
}

export function countText(slots: number): string {
  return slots === 1 ? '1 slot' : `${numberText(slots)} slots`
}
