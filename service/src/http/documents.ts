import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { endpoints as allEndpoints } from '../endpoints/index.ts'
import { addDocsPage } from './docs-page.ts'
import { readErrorExamples, readExamples } from './examples.ts'
import { llmsText } from './llms-text.ts'
import { openApi } from './openapi.ts'
import { addStaticFile } from './static-file.ts'

const CACHE_CONTROL = 'public, max-age=60'

/** Adds the API descriptions: OpenAPI, llms.txt and the reference page. */
export async function addDocuments(app: FastifyInstance, endpoints: readonly Endpoint[] = allEndpoints): Promise<void> {
  const description = openApi(endpoints, readExamples(), readErrorExamples())
  const document = JSON.stringify(description)
  const text = llmsText(endpoints)
  addStaticFile(app, '/openapi.json', {
    content: document,
    type: 'application/json; charset=utf-8',
    cacheControl: CACHE_CONTROL,
  })
  addStaticFile(app, '/llms.txt', { content: text, type: 'text/plain; charset=utf-8', cacheControl: CACHE_CONTROL })
  await addDocsPage(app, description)
}
