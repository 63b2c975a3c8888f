const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of up to `width` letters, fine to an eighth of one. What is not nothing shows. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const shown = share > 0 && width > 0 ? Math.max(1, eighths) : 0
  return '█'.repeat(shown >> 3) + (EIGHTHS[shown & 7] ?? '')
}
