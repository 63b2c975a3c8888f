import type { FastifyInstance } from 'fastify'
import { endpoints } from '../endpoints/index.ts'
import { addDocsPage } from './docs-page.ts'
import { readExamples } from './examples.ts'
import { llmsText } from './llms-text.ts'
import { openApi } from './openapi.ts'

const KEPT_FOR = 'public, max-age=60'

/** What says how the service is used, from the service itself. */
export async function addDocuments(app: FastifyInstance): Promise<void> {
  const document = JSON.stringify(openApi(endpoints, readExamples()))
  const text = llmsText(endpoints)
  app.get('/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', KEPT_FOR).send(document),
  )
  app.get('/llms.txt', (_request, reply) =>
    reply.type('text/plain; charset=utf-8').header('cache-control', KEPT_FOR).send(text),
  )
  await addDocsPage(app)
}
