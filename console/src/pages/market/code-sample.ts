import type { MarketSide } from './market-search.ts'

export interface TimeRange {
  readonly from: string
  readonly to: string
}

/** What the code reads. */
export interface CodeView {
  /** Address of the service, without a slash at its end. */
  readonly baseUrl: string
  readonly marketId: string
  readonly side: MarketSide
  readonly range: TimeRange
  /** The playhead of the history, or the start of the range. */
  readonly at: string
}

export interface CodeSample {
  readonly language: 'curl' | 'TypeScript' | 'Python' | 'Command line' | 'MCP'
  /** What to have first. */
  readonly needs: string
  readonly code: string
}

export const KEY_NEED = 'BOOKREEL_KEY holds your API key'

export function commandSample({ baseUrl }: CodeView, command: string): CodeSample {
  const needs = `${KEY_NEED}, and the command bookreel is installed.`
  return { language: 'Command line', needs, code: `bookreel --url ${baseUrl} ${command}` }
}
