import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

/** One thing that can be asked, as the service publishes it. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** With `{name}` for parameters. */
  readonly path: string
  readonly isPublic: boolean
  /** Of a browser, not of a key. */
  readonly isOfSession: boolean
  /** Of path and query. */
  readonly parameters: readonly Parameter[]
  /** By status, then by media type. */
  readonly contents: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface GivenAnswer {
  readonly status: number
  readonly contentType: string | undefined
  /** Decoded; undefined where there is none by nature, as for HEAD. */
  readonly text: string | undefined
  /** The value of `form` in the request. */
  readonly form?: string | undefined
}

interface Document {
  readonly paths: Record<string, Record<string, PublishedOperation>>
}

interface PublishedOperation {
  readonly operationId: string
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters: readonly Parameter[]
  readonly responses: Record<string, { content?: Record<string, unknown> }>
}

const DOCUMENT = 'published'

/** What the service says of itself in `/openapi.json`, and whether its answers keep it. */
export class PublishedSchema {
  readonly operations: readonly Operation[]
  readonly #ajv: Ajv2020
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: unknown) {
    this.operations = Object.entries((document as Document).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => operationOf(path, method, operation)),
    )
    this.#ajv = new Ajv2020({ strict: false })
    formats.default(this.#ajv)
    this.#ajv.addSchema(document as object, DOCUMENT)
  }

  /** Of a method and a path without its query; what is written out goes before what is a parameter, for every method. */
  find(method: string, path: string): Operation | undefined {
    const parts = path.split('/')
    const fitting = this.operations.filter((each) => fits(each.path.split('/'), parts))
    const [nearest] = fitting.sort((one, other) => placesOf(one.path) - placesOf(other.path))
    return fitting.find((each) => each.path === nearest?.path && each.method === method)
  }

  /** What is wrong with an answer; undefined when nothing is. Where nothing is published, only errors may be answered. */
  problemOf(operation: Operation | undefined, answer: GivenAnswer): string | undefined {
    const { status, contentType, text, form = 'described' } = answer
    const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    if (text === undefined) return undefined
    if (operation === undefined) {
      if (status < 400) return `${status} where nothing is published`
      if (type !== 'application/json') return `${status} as ${type || 'nothing'}`
      return this.#problemOfJson('components/schemas/Error', text)
    }
    const content = operation.contents[status]
    if (content === undefined) return `${status} is not published`
    if (status === 204) return text === '' ? undefined : '204 with a body'
    if (!(type in content)) return `${status} as ${type || 'nothing'} is not published`
    if (type !== 'application/json') return undefined
    const place = [
      'paths',
      operation.path,
      operation.method.toLowerCase(),
      'responses',
      String(status),
      'content',
      type,
    ]
    const pointer = [...place, 'schema'].map(pointerPart).join('/')
    const problems = choicesOfForm(content[type], form).map((choice) =>
      this.#problemOfJson(`${pointer}${choice}`, text),
    )
    return problems.includes(undefined) ? undefined : problems.join('; or ')
  }

  #problemOfJson(pointer: string, text: string): string | undefined {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return 'not JSON'
    }
    const validate = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `${DOCUMENT}#/${pointer}` })
    this.#validators.set(pointer, validate)
    if (validate(value)) return undefined
    return this.#ajv.errorsText(validate.errors, { dataVar: 'answer' })
  }
}

function operationOf(path: string, method: string, published: PublishedOperation): Operation {
  return {
    id: published.operationId,
    method: method.toUpperCase(),
    path,
    isPublic: published.security.length === 0,
    isOfSession: published.security.some((scheme) => 'session' in scheme),
    parameters: published.parameters.filter(({ in: place }) => place !== 'header'),
    contents: Object.fromEntries(
      Object.entries(published.responses).map(([status, { content = {} }]) => [status, content]),
    ),
  }
}

/** An answer with two forms must have the requested one: the other form is no valid answer. */
function choicesOfForm(content: unknown, form: string): string[] {
  const choices = (content as { schema?: { anyOf?: { title?: string }[] } }).schema?.anyOf ?? []
  if (!choices.some(({ title }) => title?.startsWith('form=') === true)) return ['']
  const isOfForm = ({ title }: { title?: string }): boolean => title === undefined || title === `form=${form}`
  return choices.flatMap((choice, index) => (isOfForm(choice) ? [`/anyOf/${index}`] : []))
}

function fits(template: readonly string[], parts: readonly string[]): boolean {
  if (template.length !== parts.length) return false
  return template.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
}

function placesOf(path: string): number {
  return path.split('{').length
}

/** As in a JSON pointer within an address. */
function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
