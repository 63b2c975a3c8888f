import { API_ERRORS } from '@bookreel/service/domain/api-error'
import { mayUse, TIERS } from '@bookreel/service/domain/tier'
import { type Endpoint, keyAccessOf } from '@bookreel/service/endpoints/endpoint'
import { describeEndpoint } from '@bookreel/service/http/endpoint-descriptions'
import { errorsOf } from '@bookreel/service/http/openapi'
import { exampleName } from '../examples/example-requests.ts'
import { type ApiDocument, answerSchema, jsonSchemaIn, type Operation, type Parameter } from './api-document.ts'
import { compactJson } from './compact-json.ts'
import { headingOf, linkTo } from './headings.ts'
import { cell, memberTable } from './members.ts'
import { curlOf, requestsOf } from './request-text.ts'
import { allowedText, alternativesOf, nameOf, type Schema, typeText } from './schema.ts'

interface SectionInput {
  readonly document: ApiDocument
  readonly examples: Readonly<Record<string, unknown>>
  /** Named objects that have a section of their own on the page. */
  readonly objects: ReadonlySet<string>
}

export function endpointSection(endpoint: Endpoint, operation: Operation, input: SectionInput): string {
  const { description, summary } = endpoint
  const parts = [
    `## ${headingOf(endpoint)}`,
    `${summary}.${description === undefined ? '' : ` ${description}`}`,
    factsOf(endpoint),
    parameterTable(operation.parameters),
    bodyText(operation, input),
    ...exampleTexts(endpoint, input),
    answerText(endpoint, operation, input),
    `Errors: ${errorsText(endpoint)}`,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function factsOf(endpoint: Endpoint): string {
  return [
    `- Operation: \`${endpoint.name}\``,
    `- Access: ${accessText(endpoint)}`,
    `- Price: ${priceText(endpoint)}`,
    ...(endpoint.method === 'GET' ? [`- Formats: ${describeEndpoint(endpoint).formats.join(', ')}`] : []),
  ].join('\n')
}

function accessText(endpoint: Endpoint): string {
  if (endpoint.access === 'public') return 'public, without a key'
  const key = keyAccessOf(endpoint)
  if (key === undefined) return 'a signed-in browser; API keys are not accepted'
  const { capability } = key
  const { scope } = describeEndpoint(endpoint)
  const tiers =
    capability === undefined ? '' : ` of the tier ${TIERS.filter((tier) => mayUse(tier, capability)).join(' or ')}`
  return `an API key${tiers}${scope === '' ? '' : ` with the scope ${scope}`}`
}

function priceText(endpoint: Endpoint): string {
  if (endpoint.priceRule !== undefined) return endpoint.priceRule
  const { credits } = describeEndpoint(endpoint)
  if (credits === 'by size') return 'by size, see above'
  return credits === '0' ? 'free' : `${credits} credits for each delivered answer`
}

function parameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return 'No parameters.'
  const rows = parameters.map(({ name, in: place, required, description = '', schema }) => {
    const usual = schema.default === undefined ? '' : `\`${schema.default}\``
    const cells = [
      `\`${name}\`${place === 'query' ? '' : ` (${place})`}`,
      typeText(schema, linkTo),
      required ? 'required' : usual,
      allowedText(schema),
      description,
    ]
    return `| ${cells.map(cell).join(' | ')} |`
  })
  return `| Parameter | Type | Default | Allowed | Meaning |\n|---|---|---|---|---|\n${rows.join('\n')}`
}

function bodyText({ requestBody }: Operation, { document }: SectionInput): string {
  const schema = jsonSchemaIn(requestBody?.content)
  if (schema === undefined) return ''
  return `Request body, JSON:\n\n${memberTable(resolved(schema, document), linkTo).trimEnd()}`
}

function exampleTexts({ name, status }: Endpoint, { examples }: SectionInput): string[] {
  return requestsOf(name).flatMap((request) => {
    const answer = examples[exampleName(request)]
    const title = request.title === undefined ? 'Request' : `${request.title}`
    const shown =
      answer === undefined
        ? `Answer: ${status ?? 200}, without a body.`
        : `Answer:\n\n${fenced('json', compactJson(answer))}`
    return [`${title}:\n\n${fenced('sh', curlOf(request))}`, shown]
  })
}

function answerText({ status }: Endpoint, operation: Operation, input: SectionInput): string {
  const schema = answerSchema(operation)
  if (status === 204 || schema === undefined) return ''
  const alternatives = alternativesOf(schema) ?? [schema]
  return alternatives.map((each) => formText(each, input)).join('\n\n')
}

/** The members of one form of the answer, or a link to the object that has them. */
function formText(schema: Schema, { document, objects }: SectionInput): string {
  const isList = schema.type === 'array'
  const whole = isList ? (schema.items ?? {}) : schema
  const form = schema.title === undefined ? '' : ` with \`${schema.title}\``
  if (whole.$ref !== undefined && objects.has(nameOf(whole)))
    return `The answer${form} is ${isList ? 'a list of ' : ''}${linkTo(nameOf(whole))}.`
  const members = resolved(whole, document)
  return `Members of ${isList ? 'each entry of the list' : 'the answer'}${form}:\n\n${memberTable(members, linkTo).trimEnd()}`
}

function errorsText(endpoint: Endpoint): string {
  return errorsOf(endpoint)
    .toSorted((one, other) => API_ERRORS[one].status - API_ERRORS[other].status)
    .map((code) => `[\`${code}\`](../errors.md#${code})`)
    .join(', ')
}

function resolved(schema: Schema, { components }: ApiDocument): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[nameOf(schema)] ?? {})
}

function fenced(kind: string, text: string): string {
  return `\`\`\`${kind}\n${text}\n\`\`\``
}
