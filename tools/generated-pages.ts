import { endpoints } from '@bookreel/service/endpoints/index'
import { readErrorExamples, readExamples } from '@bookreel/service/http/examples'
import { openApi } from '@bookreel/service/http/openapi'
import { configPage } from './config-page.ts'
import type { ApiDocument as PageDocument } from './endpoint-pages/api-document.ts'
import { groupPages } from './endpoint-pages/group-page.ts'
import { endpointsPage } from './endpoints-page.ts'
import { errorsPage } from './errors-page.ts'
import { fieldcheckPage } from './fieldcheck-page.ts'
import { mcpPage } from './mcp-page.ts'
import { metricsPage } from './metrics-page.ts'
import { apiFiles } from './sdk/api-files.ts'
import type { ApiDocument } from './sdk/operations.ts'
import { streamTypes } from './sdk/stream-types.ts'

/** Every generated file with its current content: pages of `docs/`, and types of the SDK. */
export function generatedPages(): Record<string, string> {
  const examples = readExamples()
  const errorExamples = readErrorExamples()
  const document = openApi(endpoints, examples, errorExamples)
  return {
    'docs/config.md': configPage(),
    'docs/endpoints.md': endpointsPage(),
    ...groupPages({ endpoints, document: document as unknown as PageDocument, examples }),
    'docs/errors.md': errorsPage(errorExamples),
    'docs/fieldcheck.md': fieldcheckPage(),
    'docs/mcp.md': mcpPage(),
    'docs/metrics.md': metricsPage(),
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    ...apiFiles(document as unknown as ApiDocument),
    'sdk/src/generated/stream-types.ts': streamTypes(),
  }
}
