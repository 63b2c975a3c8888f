import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** An OpenAPI 3.1 document as it is served at `/openapi.json`. */
export interface PublishedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>
}

interface PublishedOperation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema?: unknown }>> }>>
}

const NAME = 'https://bookreel.invalid/openapi.json'
const ERROR = '/components/schemas/Error'
const checkers = new WeakMap<PublishedDocument, Checker>()

/**
 * Differences between a response and the published document; empty when they agree. The path is the template of
 * the document; `body` is parsed when it is JSON. A status, a media type or a member that is not published is a breach.
 */
export function breachesOf(
  document: PublishedDocument,
  method: string,
  pathTemplate: string,
  status: number,
  contentType: string,
  body: unknown,
): string[] {
  const operation = document.paths[pathTemplate]?.[method.toLowerCase()]
  if (operation === undefined) return [`${method} ${pathTemplate} is not published`]
  const response = operation.responses[status]
  if (response === undefined) return [`${method} ${pathTemplate} never answers ${status}`]
  const mediaType = contentType.split(';', 1)[0]?.trim() ?? ''
  if (response.content === undefined && mediaType === '' && body === '') return []
  const content = response.content?.[mediaType]
  if (content === undefined) return [`${method} ${pathTemplate} ${status} never comes as ${mediaType || 'nothing'}`]
  if (content.schema === undefined) return []
  const place = ['paths', pathTemplate, method.toLowerCase(), 'responses', status, 'content', mediaType, 'schema']
  return checkerOf(document).breaches(pointerOf(place), body)
}

/** The same for an error without an operation, such as that of an unknown path. */
export function breachesOfError(document: PublishedDocument, body: unknown): string[] {
  return checkerOf(document).breaches(ERROR, body)
}

function checkerOf(document: PublishedDocument): Checker {
  const checker = checkers.get(document) ?? new Checker(document)
  checkers.set(document, checker)
  return checker
}

class Checker {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true })
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: PublishedDocument) {
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ ...document, $id: NAME })
  }

  breaches(pointer: string, value: unknown): string[] {
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `${NAME}#${pointer}` })
    this.#compiled.set(pointer, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath || '/'} ${message} ${JSON.stringify(params)}`
    })
  }
}

function pointerOf(steps: readonly (string | number)[]): string {
  return steps
    .map((step) => `/${encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('')
}
