import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { fastify } from 'fastify'
import { describe, expect, test } from 'vitest'
import { API_ERRORS } from '../../src/domain/api-error.ts'
import { endpoints } from '../../src/endpoints/index.ts'
import { addConsole } from '../../src/http/console/add-console.ts'
import { addDocuments } from '../../src/http/documents.ts'
import { readErrorExamples, readExamples } from '../../src/http/examples.ts'
import { addIcon } from '../../src/http/icon.ts'
import { openApi } from '../../src/http/openapi.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const examples = readExamples()
const errorExamples = readErrorExamples()
// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes.
const document = openApi(endpoints, examples, errorExamples) as any

interface Published {
  readonly description: string
  readonly content?: { readonly 'application/json'?: { readonly examples?: Record<string, { $ref?: string }> } }
}

/** What the schema, which may refer to components of the document, does not allow in the value. */
function problemsOf(schema: unknown, value: unknown): unknown[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'openapi', components: document.components })
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')))
  validate(value)
  return validate.errors ?? []
}

/** An example is of one form, so only the schema of this form may allow it. */
function formIn(schema: { anyOf?: { title?: string }[] }, name: string): unknown {
  const form = name.endsWith('.declared') ? 'form=declared' : 'form=described'
  const other = form === 'form=declared' ? 'form=described' : 'form=declared'
  if (schema.anyOf?.some(({ title }) => title === form) !== true) return schema
  return { anyOf: schema.anyOf.filter(({ title }) => title !== other) }
}

async function lint(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-openapi-'))
  try {
    const file = join(folder, 'openapi.json')
    await writeFile(file, text)
    const program = join(ROOT, 'node_modules/.bin/redocly')
    const env = {
      PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    }
    const { stdout, stderr } = await promisify(execFile)(
      program,
      ['lint', file, '--config', join(ROOT, 'tools/redocly.yaml'), '--format', 'stylish'],
      { env, cwd: folder },
    ).catch((error: { stdout: string; stderr: string }) => error)
    return `${stdout}${stderr}`
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('openapi.json', () => {
  test('passes a strict validator', async () => {
    expect(await lint(JSON.stringify(document))).toContain('Your API description is valid')
  })

  test.each(Object.keys(examples))(
    'the example %s is what the schema of its answer allows (if not: npm run docs -- --examples)',
    (name) => {
      const endpoint = endpoints.find((each) => each.name === name.split('.')[0])
      const { responses } = document.paths[endpoint?.path ?? ''][endpoint?.method.toLowerCase() ?? '']
      const { schema } = responses[endpoint?.status ?? 200].content['application/json']
      expect(problemsOf(formIn(schema, name), examples[name])).toEqual([])
    },
  )

  test.each(Object.keys(errorExamples))('the error example %s is what the schema of errors allows', (name) => {
    expect(problemsOf({ $ref: '#/components/schemas/Error' }, errorExamples[name]?.answer)).toEqual([])
  })

  test('every error response refers to recorded examples of its codes and status', () => {
    for (const endpoint of endpoints) {
      const { responses } = document.paths[endpoint.path][endpoint.method.toLowerCase()]
      for (const [status, { content, description }] of Object.entries<Published>(responses)) {
        const { examples: named = {} } = content?.['application/json'] ?? {}
        const codes = Object.keys(API_ERRORS).filter((code) => description.includes(`\`${code}\`: `))
        const values = Object.values(named).map(
          ({ $ref = '' }) => document.components.examples[$ref.slice($ref.lastIndexOf('/') + 1)],
        )
        if (status >= '400' && endpoint.otherStatuses?.[Number(status)] === undefined)
          expect(values.map(({ value }) => String(value.error)).toSorted()).toEqual(codes.toSorted())
        for (const { value } of status >= '400' ? values : []) expect(value.status).toBe(Number(status))
      }
    }
  })

  test('operation ids are unique, and every example belongs to an existing operation', () => {
    const names = endpoints.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(Object.keys(examples).filter((name) => !names.includes(name.split('.')[0] ?? ''))).toEqual([])
  })

  test('a status that comes with the reply is documented beside the error', () => {
    const { schema } = document.paths['/health'].get.responses[503].content['application/json']
    expect(schema.oneOf.map(({ $ref }: { $ref: string }) => $ref)).toEqual([
      '#/components/schemas/Health',
      '#/components/schemas/Error',
    ])
  })
})

describe('documentation pages', () => {
  test('llms.txt names every endpoint, the tiers and the further documentation', async () => {
    await using app = fastify()
    await addDocuments(app)
    const { body, headers } = await app.inject('/llms.txt')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    for (const { method, path } of endpoints) expect(body).toContain(`\`${method} ${path}\``)
    for (const word of ['X-API-Key', 'enterprise', 'credits_500k', '/docs', '/openapi.json'])
      expect(body).toContain(word)
  })

  test('the contact for vulnerabilities is published, for a year from each start; without one there is no file', async () => {
    await using app = fastify()
    const nowMs = Date.parse('2026-11-20T12:00:00Z')
    await addDocuments(app, [], { address: 'mailto:security@example.com', nowMs })
    const { body, headers } = await app.inject('/.well-known/security.txt')
    expect(body).toBe('Contact: mailto:security@example.com\nExpires: 2027-11-20T12:00:00.000Z\n')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    await using without = fastify()
    await addDocuments(without, [])
    expect((await without.inject('/.well-known/security.txt')).statusCode).toBe(404)
  })

  test('the API reference includes its own script and loads nothing from elsewhere', async () => {
    await using app = fastify()
    await addDocuments(app)
    const page = (await app.inject('/docs/')).body
    expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)).toEqual([
      '/favicon.svg',
      'js/scalar.js',
    ])
    expect(page).toContain('"url": "/docs/openapi.json"')
    expect(page).toMatch(/"telemetry": false/)
    expect(page).toMatch(/"persistAuth": false/)
    expect((await app.inject('/docs/js/scalar.js')).headers['cache-control']).toContain('max-age')
  })

  test('the API reference shows the version of the product, and /openapi.json that of the interface', async () => {
    await using app = fastify()
    await addDocuments(app)
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    const [shown, published] = [
      (await app.inject('/docs/openapi.json')).json(),
      (await app.inject('/openapi.json')).json(),
    ]
    expect([shown.info.version, published.info.version]).toEqual([version, '1.0.0'])
    expect({ ...shown, info: { ...shown.info, version: '1.0.0' } }).toEqual(published)
  })

  test('without a console the address of the service leads to the API reference', async () => {
    await using app = fastify()
    addConsole(app, { files: undefined })
    const { statusCode, headers } = await app.inject('/')
    expect([statusCode, headers.location]).toEqual([302, '/docs/'])
  })

  test.each([
    ['/favicon.ico', 'image/x-icon', Buffer.from([0, 0, 1, 0])],
    ['/favicon.svg', 'image/svg+xml', Buffer.from('<svg')],
  ])('%s is an icon', async (path, type, start) => {
    await using app = fastify()
    addIcon(app)
    const { statusCode, headers, rawPayload } = await app.inject(path)
    expect([statusCode, headers['content-type']]).toEqual([200, type])
    expect(rawPayload.subarray(0, start.length)).toEqual(start)
  })
})
