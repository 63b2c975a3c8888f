import { type ApiDocument, capitalised, type Operation, operationsOf } from './operations.ts'
import { commentText, declarationText, literalText, typeText } from './type-text.ts'

const MADE_BY = '// Made by `npm run docs`, from the OpenAPI document. Changes here are lost.\n\n'

/** The files of the SDK that follow from the OpenAPI document: types, the table of operations, and a method for each. */
export function apiFiles(document: ApiDocument): Record<string, string> {
  const operations = operationsOf(document)
  return {
    'sdk/src/generated/api-types.ts': typesFile(document, operations),
    'sdk/src/generated/operations.ts': operationsFile(operations),
    'sdk/src/generated/resources.ts': resourcesFile(operations),
  }
}

/** Only what a question or an answer of ours leads to. */
function typesFile(document: ApiDocument, operations: readonly Operation[]): string {
  const { schemas } = document.components
  const needed = new Set<string>()
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (needed.has(name)) continue
      needed.add(name)
      visit(schemas[name])
    }
  }
  visit([operations, { $ref: '#/components/schemas/Error' }])
  const components = Object.entries(schemas)
    .filter(([name]) => needed.has(name))
    .map(([name, schema]) => declarationText(componentName(name), schema))
  const ofOperations = operations.map(operationTypes)
  const form =
    "/** The form of an answer: as described in the reference, or exactly the declared schema. */\nexport type Form = 'described' | 'declared'\n"
  const moment =
    '/** A point in time: ISO 8601 with an offset, epoch milliseconds, or a Date. */\nexport type Moment = string | number | Date\n'
  const inputs = operations.map(({ id, typeName }) => `  ${id}: ${typeName}Input\n`).join('')
  const byName = `/** What each operation takes, by its name in the OpenAPI document. */\nexport interface OperationInputs {\n${inputs}}\n`
  return `${MADE_BY}${[moment, form, ...components, ...ofOperations, byName].join('\n')}`
}

/** `Error` would hide the one that every program has. */
function componentName(name: string): string {
  return name === 'Error' ? 'ErrorAnswer' : name
}

function operationTypes(operation: Operation): string {
  const { typeName, query, reply, declaredReply, dryRunReply, isFile, pathNames, formats, id } = operation
  const parts = hasQuery(operation) ? [declarationText(`${typeName}Query`, query)] : []
  if (!isFile) parts.push(`export type ${typeName}Reply = ${typeText(reply)}\n`)
  if (declaredReply !== undefined) {
    parts.push(`export type ${typeName}Declared = ${typeText(declaredReply)}\n`)
    parts.push(`/** The answer of \`${id}\` in each form. */\n`)
    parts.push(`export type ${typeName}Forms = { described: ${typeName}Reply; declared: ${typeName}Declared }\n`)
  }
  if (dryRunReply !== undefined) parts.push(`export type ${typeName}DryRun = ${typeText(dryRunReply)}\n`)
  const members = [
    ...pathNames.map((name) => `${name}: string`),
    `format?: ${formats.map(literalText).join(' | ')} | undefined`,
    ...(declaredReply === undefined ? [] : ['form?: Form | undefined']),
    'spreadsheet_safe?: boolean | undefined',
    ...(dryRunReply === undefined ? [] : ['dry_run?: boolean | undefined']),
  ]
  const rest = `{ ${members.join('; ')} }`
  parts.push(`/** Everything that \`${id}\` takes. */\n`)
  parts.push(`export type ${typeName}Input = ${hasQuery(operation) ? `${typeName}Query & ${rest}` : rest}\n`)
  return parts.join('')
}

function hasQuery({ query }: Operation): boolean {
  return Object.keys(query.properties ?? {}).length > 0
}

function operationsFile(operations: readonly Operation[]): string {
  const entries = operations.map(({ id, path, isPost, isPriced, pages, otherStatuses }) => {
    const members = [`name: '${id}'`, `path: '${path}'`, `isPriced: ${isPriced}`]
    if (isPost) members.push('isPost: true')
    if (otherStatuses.length > 0) members.push(`otherStatuses: [${otherStatuses.join(', ')}]`)
    if (pages !== undefined) members.push(`pages: { ${pagesText(pages)} }`)
    return `  ${id}: { ${members.join(', ')} },\n`
  })
  return `${MADE_BY}import type { Operation } from '../operation.ts'
import type { OperationInputs } from './api-types.ts'

export const OPERATIONS = {
${entries.join('')}} as const satisfies Record<keyof OperationInputs, Operation>
`
}

function pagesText({ member, limit }: NonNullable<Operation['pages']>): string {
  return `${member === undefined ? '' : `member: '${member}', `}limit: ${limit}`
}

function resourcesFile(operations: readonly Operation[]): string {
  const groups = Map.groupBy(operations, ({ group }) => group)
  const classes = [...groups].map(
    ([group, members]) => `export class ${className(group)} {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

${members.map(methodsText).join('\n')}}
`,
  )
  const fields = [...groups.keys()].map((group) => `  readonly ${group}: ${className(group)}\n`).join('')
  const makes = [...groups.keys()].map((group) => `    this.${group} = new ${className(group)}(caller)\n`).join('')
  return `${MADE_BY}import type { CallOptions } from '../call-options.ts'
import type { Caller } from '../caller.ts'
import type { DownloadedFile, DownloadOptions } from '../download.ts'
import type * as api from './api-types.ts'
import { OPERATIONS } from './operations.ts'

${classes.join('\n')}
/** Every operation, grouped as in the OpenAPI document. */
export class Resources {
${fields}
  constructor(caller: Caller) {
${makes}  }
}
`
}

/** The venue came later than these methods: it is one of the options, so that earlier calls still compile. */
function hasVenueAlone({ query }: Operation): boolean {
  return Object.keys(query.properties ?? {}).join() === 'venue'
}

function className(group: string): string {
  return `${capitalised(group)}Resource`
}

function methodsText(operation: Operation): string {
  const { method, typeName, pages, declaredReply, dryRunReply, isFile, id, words, isDeprecated } = operation
  const table = `OPERATIONS.${id}`
  const hasForms = declaredReply !== undefined
  const reply = hasForms ? `api.${typeName}Forms[F]` : `api.${typeName}Reply`
  const methods: string[] = []
  const add = (name: string, comment: string, result: string, body: string, options = 'CallOptions'): void => {
    const isInForm = result.includes('[F]')
    const ownOptions = hasVenueAlone(operation)
      ? `options: api.${typeName}Query & ${options} = {}`
      : `options?: ${options}`
    const parameters = [...parametersText(operation, isInForm), ownOptions]
    const head = `${name}${isInForm ? "<F extends api.Form = 'described'>" : ''}(${parameters.join(', ')}): ${result}`
    const text = isDeprecated ? `${comment}\n\n@deprecated` : comment
    methods.push(`${commentText(text, '  ')}  ${head} {\n    return this.#caller.${body}\n  }\n`)
  }
  const input = inputText(operation)
  if (isFile) add(method, words, 'Promise<DownloadedFile>', `file(${table}, ${input}, options)`, 'DownloadOptions')
  else add(method, words, `Promise<${reply}>`, `json(${table}, ${input}, options)`)
  if (dryRunReply !== undefined) {
    const largestPage = pages === undefined ? '' : `limit: ${table}.pages.limit, `
    const withDryRun = input.replace(/^{ /, `{ ${largestPage}`).replace(/ }$/, ', dry_run: true }')
    const counted = pages === undefined ? method : `all${method === 'list' ? '' : capitalised(method)}`
    add(
      `${method}DryRun`,
      `What \`${counted}\` would bring and cost with the same query; free of charge.`,
      `Promise<api.${typeName}DryRun>`,
      `json(${table}, ${withDryRun}, options)`,
    )
  }
  if (pages !== undefined) {
    // A bare list exists in the described form only.
    const list = pages.member === undefined ? `api.${typeName}Reply` : `${reply}['${pages.member}']`
    const plural = method === 'list' ? '' : capitalised(method)
    const pagesName = method === 'list' ? 'pages' : `${method}Pages`
    add(
      pagesName,
      `Page after page of \`${method}\`, each as large as may be unless \`limit\` is given.`,
      `AsyncGenerator<${reply}, void, undefined>`,
      `pages(${table}, ${input}, options)`,
    )
    add(
      `all${plural}`,
      `Every item of every page of \`${method}\`.`,
      `AsyncGenerator<${list}[number], void, undefined>`,
      `items(${table}, ${input}, options)`,
    )
  }
  return methods.join('\n')
}

function parametersText(operation: Operation, isInForm: boolean): string[] {
  const { pathNames, typeName, query } = operation
  const usual = (query.required ?? []).length > 0 ? '' : ' = {}'
  const form = isInForm ? ' & { form?: F | undefined }' : ''
  const ofPath = pathNames.map((name) => `${name}: string`)
  const isApart = hasQuery(operation) && !hasVenueAlone(operation)
  return isApart ? [...ofPath, `query: api.${typeName}Query${form}${usual}`] : ofPath
}

function inputText(operation: Operation): string {
  const ofQuery = hasVenueAlone(operation) ? ['venue: options.venue'] : hasQuery(operation) ? ['...query'] : []
  const names = [...operation.pathNames, ...ofQuery]
  return names.length === 0 ? '{}' : `{ ${names.join(', ')} }`
}
