const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of up to `width` characters in steps of an eighth. A share above 0 always shows at least one step. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const shown = share > 0 && width > 0 ? Math.max(1, eighths) : 0
  return '█'.repeat(shown >> 3) + (EIGHTHS[shown & 7] ?? '')
}
