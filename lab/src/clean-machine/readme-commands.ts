/**
 * The commands of a page's code blocks, in order. A block marked `text` shows output and has none. A line that ends
 * with a backslash continues in the next.
 */
export function commandsIn(markdown: string): string[] {
  const blocks = markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)
  return [...blocks].flatMap(([, language, body = '']) => {
    if (language === 'text') return []
    const lines = body.replaceAll(/\\\n\s*/g, '').split('\n')
    return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  })
}
