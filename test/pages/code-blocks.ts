/** A fenced code block of a page. */
export interface CodeBlock {
  /** `sh`, `js browser`, `text` …; empty when the block is not marked. */
  readonly kind: string
  readonly text: string
  /** Line number of its first line. */
  readonly line: number
}

/** What happens to the blocks of each kind. Every block has one of these kinds. */
export const KINDS = {
  /** Pasted into the shell of the page, command by command. */
  sh: 'executed',
  /** All blocks of a page are one program, run with Node in the shell of the page. */
  js: 'executed',
  ts: 'executed',
  python: 'executed',
  /** Pasted into the console of a browser that shows the interactive API reference. */
  'js browser': 'executed',
  /** Needs the real venues, or the simulator on its usual port. */
  'sh venues': 'shown',
  json: 'parsed',
  /** Output and frames. */
  text: 'shown',
} as const

export type Kind = keyof typeof KINDS

export function isKnownKind(kind: string): kind is Kind {
  return kind in KINDS
}

export function codeBlocksOf(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  let open: { fence: string; kind: string; line: number; lines: string[] } | undefined
  for (const [index, text] of markdown.split('\n').entries()) {
    const [, fence = '', kind = ''] = /^\s*(```+|~~~+)\s*(.*?)\s*$/.exec(text) ?? []
    if (open === undefined) {
      if (fence !== '') open = { fence, kind, line: index + 2, lines: [] }
    } else if (fence === open.fence && kind === '') {
      blocks.push({ kind: open.kind, text: open.lines.join('\n'), line: open.line })
      open = undefined
    } else open.lines.push(text)
  }
  if (open !== undefined) throw new Error(`The code block of line ${open.line} does not end.`)
  return blocks
}

/** The commands in the first comment of an example. */
export function exampleCommands(source: string): string[] {
  return [...source.matchAll(/^(?: \*)? {3,4}((?:python3|npm run) .*)$/gm)].map(([, command = '']) => command)
}
