import { endpoints } from '@bookreel/service/endpoints/index'
import { readExamples } from '@bookreel/service/http/examples'
import { openApi } from '@bookreel/service/http/openapi'
import { configPage } from './config-page.ts'
import { conformancePage } from './conformance-page.ts'
import { endpointsPage } from './endpoints-page.ts'
import { errorsPage } from './errors-page.ts'

/** Every file below `docs/` that is made from code, with what it should hold now. */
export function generatedPages(): Record<string, string> {
  return {
    'docs/config.md': configPage(),
    'docs/conformance.md': conformancePage(),
    'docs/endpoints.md': endpointsPage(),
    'docs/errors.md': errorsPage(),
    'docs/openapi.json': `${JSON.stringify(openApi(endpoints, readExamples()), null, 2)}\n`,
  }
}
