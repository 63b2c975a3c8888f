import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { endpoints as allEndpoints } from '../endpoints/index.ts'
import { addDocsPage } from './docs-page.ts'
import { readErrorExamples, readExamples } from './examples.ts'
import { llmsText } from './llms-text.ts'
import { openApi } from './openapi.ts'
import { addStaticFile } from './static-file.ts'

const CACHE_CONTROL = 'public, max-age=60'

/** Where vulnerabilities are reported. */
export interface SecurityContact {
  /** `mailto:` or `https:`. */
  readonly address: string
  readonly nowMs: number
}

/** A file of RFC 9116 must end one day; every start of the process makes it last longer. */
const CONTACT_FOR_MS = 365 * 86_400_000

/** Adds the API descriptions: OpenAPI, llms.txt and the reference page; with a contact also security.txt. */
export async function addDocuments(
  app: FastifyInstance,
  endpoints: readonly Endpoint[] = allEndpoints,
  contact?: SecurityContact,
): Promise<void> {
  const description = openApi(endpoints, readExamples(), readErrorExamples())
  const document = JSON.stringify(description)
  const text = llmsText(endpoints)
  addStaticFile(app, '/openapi.json', {
    content: document,
    type: 'application/json; charset=utf-8',
    cacheControl: CACHE_CONTROL,
  })
  addStaticFile(app, '/llms.txt', { content: text, type: 'text/plain; charset=utf-8', cacheControl: CACHE_CONTROL })
  if (contact !== undefined)
    addStaticFile(app, '/.well-known/security.txt', {
      content: `Contact: ${contact.address}\nExpires: ${new Date(contact.nowMs + CONTACT_FOR_MS).toISOString()}\n`,
      type: 'text/plain; charset=utf-8',
      cacheControl: CACHE_CONTROL,
    })
  await addDocsPage(app, description)
}
