import { API_ERRORS } from '@bookreel/service/domain/api-error'

/** The page of errors, made from the table that answers with them. */
export function errorsPage(): string {
  const rows = Object.entries(API_ERRORS)
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([code, fault]) => {
      const other = 'otherStatus' in fault ? `, ${fault.otherStatus}` : ''
      return `| ${fault.status}${other} | \`${code}\` | ${fault.meaning} |`
    })
  return `# Errors

Made by \`npm run docs\` from \`service/src/domain/api-error.ts\`. Every error is the same object:

\`\`\`json
{ "error": "market_not_found", "message": "No market has this id.", "status": 404, "details": { "market_id": "0x12" }, "request_id": "…" }
\`\`\`

\`error\` is stable and made for programs, \`message\` is a sentence for people and may change, \`details\` helps to mend the request where it can. \`request_id\` is also the header \`X-Request-Id\`. 429 and 503 come with \`Retry-After\`. Nothing is charged for an error.

| Status | \`error\` | Meaning |
|---|---|---|
${rows.join('\n')}
`
}
