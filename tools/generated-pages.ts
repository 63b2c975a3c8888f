import { endpoints } from '@bookreel/service/endpoints/index'
import { readExamples } from '@bookreel/service/http/examples'
import { openApi } from '@bookreel/service/http/openapi'
import { configPage } from './config-page.ts'
import { conformancePage } from './conformance-page.ts'
import { endpointsPage } from './endpoints-page.ts'
import { errorsPage } from './errors-page.ts'
import { interfaceTablePage } from './interface-table-page.ts'
import { mcpPage } from './mcp-page.ts'
import { metricsPage } from './metrics-page.ts'
import { apiFiles } from './sdk/api-files.ts'
import type { ApiDocument } from './sdk/operations.ts'
import { streamTypes } from './sdk/stream-types.ts'

/** Every generated file with its current content: pages of `docs/`, and types of the SDK. */
export function generatedPages(): Record<string, string> {
  const document = openApi(endpoints, readExamples())
  return {
    'docs/config.md': configPage(),
    'docs/conformance.md': conformancePage(),
    'docs/endpoints.md': endpointsPage(),
    'docs/errors.md': errorsPage(),
    'docs/interface-table.md': interfaceTablePage(),
    'docs/mcp.md': mcpPage(),
    'docs/metrics.md': metricsPage(),
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    ...apiFiles(document as unknown as ApiDocument),
    'sdk/src/generated/stream-types.ts': streamTypes(),
  }
}
