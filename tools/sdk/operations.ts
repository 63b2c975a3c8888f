import type { Schema } from './type-text.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Described {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Schema }>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema?: Schema }>> }>>
}

/** As much of an OpenAPI document as the SDK is made from. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** One question that the SDK can ask, with the names it has there. */
export interface Operation {
  /** As in the document: `list_snapshots`. */
  readonly id: string
  /** Begins the names of its types: `ListSnapshots`. */
  readonly typeName: string
  /** `snapshots` of `client.snapshots.list()`. */
  readonly group: string
  /** `list` of the same. */
  readonly method: string
  readonly path: string
  /** Its input is the body of a POST, not a query. */
  readonly isPost: boolean
  readonly words: string
  /** Methods of the SDK are marked, so that editors show it. */
  readonly isDeprecated: boolean
  readonly pathNames: readonly string[]
  /** Or the body. Without `format`, `form` and `dry_run`, which are typed or have methods of their own. */
  readonly query: Schema
  readonly formats: readonly string[]
  readonly isPriced: boolean
  /** The answer is a file unless it is a dry run. */
  readonly isFile: boolean
  readonly reply: Schema
  /** The answer to `form=declared`, where there are two forms. */
  readonly declaredReply: Schema | undefined
  readonly dryRunReply: Schema | undefined
  /** Bad statuses that may come with the reply nevertheless. */
  readonly otherStatuses: readonly number[]
  /** Where an answer is a page: the list in it (none when the answer is the list) and the most it may hold. */
  readonly pages: { readonly member: string | undefined; readonly limit: number } | undefined
}

const NOT_IN_QUERY = ['format', 'spreadsheet_safe', 'form', 'dry_run']

/** Everything that can be asked with a key or without one; what needs somebody signed in is for browsers. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method === 'get' || method === 'post')
      .map(([method, described]) => ({ described: described as Described, isPost: method === 'post' }))
      .filter(({ described: { security } }) => !security.some((way) => 'session' in way))
      .map(({ described, isPost }) => operationOf(document, path, described, isPost)),
  )
}

function operationOf(document: ApiDocument, path: string, described: Described, isPost: boolean): Operation {
  const { operationId: id, tags, summary, description, parameters, responses } = described
  const [group] = tags
  const inQuery = parameters.filter(({ in: place }) => place === 'query')
  const reply = responses['200']?.content?.['application/json']?.schema ?? {}
  const hasDryRun = inQuery.some(({ name }) => name === 'dry_run')
  const isFile = '206' in responses
  const choices = reply.anyOf ?? [reply]
  const isDryRun = (schema: Schema): boolean => 'dry_run' in (resolved(document, schema).properties ?? {})
  const ofForm = (form: string): Schema[] => choices.filter(({ title }) => title === `form=${form}`)
  const hasForms = inQuery.some(({ name }) => name === 'form')
  const fullReply = hasForms ? ofForm('described') : choices.filter((choice) => !isDryRun(choice))
  return {
    id,
    typeName: id.split('_').map(capitalised).join(''),
    group: group.toLowerCase(),
    method: methodName(id, group),
    path,
    isPost,
    words: [summary, description].filter((text) => text !== undefined).join('.\n\n'),
    isDeprecated: described.deprecated === true,
    pathNames: parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name),
    query: isPost
      ? bodySchema(document, described)
      : querySchema(inQuery.filter(({ name }) => !NOT_IN_QUERY.includes(name) && !(isFile && name === 'part'))),
    formats: (inQuery.find(({ name }) => name === 'format')?.schema.enum ?? []).map(String),
    isPriced: parameters.some(({ name }) => name === 'Idempotency-Key'),
    isFile,
    reply: oneOrEach(fullReply),
    declaredReply: hasForms ? oneOrEach(ofForm('declared')) : undefined,
    dryRunReply: hasDryRun ? (choices.find(isDryRun) ?? reply) : undefined,
    otherStatuses: Object.entries(responses)
      .filter(([, { content }]) => content?.['application/json']?.schema?.oneOf !== undefined)
      .map(([status]) => Number(status)),
    pages: pagesOf(document, path, inQuery, fullReply[0] ?? {}),
  }
}

function oneOrEach(choices: readonly Schema[]): Schema {
  const [only] = choices
  return choices.length === 1 && only !== undefined ? only : { anyOf: choices }
}

/** The list has the name of the last part of the path (`open_interest` of `/open-interest`), or is the only one. */
function pagesOf(
  document: ApiDocument,
  path: string,
  inQuery: readonly Parameter[],
  reply: Schema,
): Operation['pages'] {
  if (!inQuery.some(({ name }) => name === 'cursor')) return undefined
  const limit = inQuery.find(({ name }) => name === 'limit')?.schema.maximum
  if (limit === undefined) throw new Error('a list with a cursor needs a limit with a maximum')
  const { type, properties = {} } = resolved(document, reply)
  if (type === 'array') return { member: undefined, limit }
  const lists = Object.entries(properties).flatMap(([name, schema]) => (schema.type === 'array' ? [name] : []))
  const wanted = path.split('/').at(-1)?.replaceAll('-', '_')
  const [only, ...others] = lists
  const member = lists.find((name) => name === wanted) ?? (others.length === 0 ? only : undefined)
  if (member === undefined)
    throw new Error(`${path}: one list of the answer (${lists.join(', ')}) needs the name of the last part of the path`)
  return { member, limit }
}

function resolved({ components }: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (components.schemas[name] ?? {})
}

function bodySchema(document: ApiDocument, { requestBody }: Described): Schema {
  return resolved(document, requestBody?.content['application/json']?.schema ?? {})
}

function querySchema(parameters: readonly Parameter[]): Schema {
  const members = parameters.map(({ name, schema, description, required }): [string, Schema] => {
    const words = description === undefined ? {} : { description }
    const isMoment = schema.format === 'date-time'
    return [
      name,
      { anyOf: [isMoment ? { $ref: 'Moment' } : schema, ...(required ? [] : [{ $ref: 'undefined' }])], ...words },
    ]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** `list_live_markets` of Markets is `live`: what the group says already is left out, and so is a plain get or list. */
function methodName(id: string, group: string): string {
  const [verb = '', ...rest] = id.split('_')
  const said = [group.toLowerCase(), group.toLowerCase().replace(/s$/, '')]
  const isPlain = verb === 'get' || verb === 'list'
  const words = (isPlain ? rest : [verb, ...rest]).filter((word) => !said.includes(word))
  const [first = verb, ...others] = words
  return [first, ...others.map(capitalised)].join('')
}

export function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}
