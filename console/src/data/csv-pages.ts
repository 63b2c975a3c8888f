import { sessionText } from './session-request.ts'

/** A list as one csv file: all pages, with one line of names. Lists page by a cursor, or by the number of rows before. */
export async function csvOf(
  path: string,
  query: Readonly<Record<string, string>> = {},
  read: typeof sessionText = sessionText,
): Promise<string> {
  const parts: string[] = []
  let rows = 0
  let next: Readonly<Record<string, string>> | undefined = {}
  while (next !== undefined) {
    const asked = { ...query, format: 'csv', spreadsheet_safe: 'true', ...next }
    const { body, headers } = await read(`${path}?${new URLSearchParams(asked)}`)
    parts.push(parts.length === 0 ? body : withoutNames(body))
    const rowCount = Number(headers.get('x-row-count'))
    rows += rowCount
    const cursor = headers.get('x-next-cursor')
    // A list that became shorter meanwhile ends with an empty page.
    const isCut = rowCount > 0 && rows < Number(headers.get('x-total-count'))
    next = cursor !== null ? { cursor } : isCut ? { offset: String(rows) } : undefined
  }
  return parts.join('')
}

function withoutNames(csv: string): string {
  return csv.slice(csv.indexOf('\n') + 1)
}
