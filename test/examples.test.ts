import { API_ERRORS, type ErrorCode } from '@bookreel/service/domain/api-error'
import { endpoints } from '@bookreel/service/endpoints/index'
import { readErrorExamples, readExamples } from '@bookreel/service/http/examples'
import { describe, expect, test } from 'vitest'
import { anchorOf, groupFile, headingOf } from '../tools/endpoint-pages/headings.ts'
import { EXAMPLE_REQUESTS, exampleName } from '../tools/examples/example-requests.ts'
import { shorten } from '../tools/examples/shorten.ts'
import { textOf, trackedFiles } from './repository.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes.
const examples = readExamples() as Record<string, any>
const errorExamples = readErrorExamples()

/** Lists and objects that are empty in a healthy service, by example. */
const MAY_BE_EMPTY: Readonly<Record<string, readonly string[]>> = {
  get_debug: ['rates', 'depths', 'errors', 'notices'],
  get_health: ['notices'],
  get_status: ['notices'],
  list_quotes: ['without_quote'],
  get_subscription: ['waiting'],
  get_usage: ['usage.1.refused'],
  list_exchange_trades: ['gaps'],
  list_exchange_funding: ['gaps'],
  list_exchange_open_interest: ['gaps'],
}

/** Paths of the empty lists and objects of a value. */
function emptyParts(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const members = Object.entries(value)
  if (members.length === 0) return [path === '' ? 'the whole answer' : path]
  return members.flatMap(([name, member]) => emptyParts(member, path === '' ? name : `${path}.${name}`))
}

describe('examples (if one is missing or wrong: npm run docs -- --examples)', () => {
  test('every endpoint has a request, and every request with a body an answer', () => {
    const operations = new Set(EXAMPLE_REQUESTS.map(({ operation }) => operation))
    expect([...operations].toSorted()).toEqual(endpoints.map(({ name }) => name).toSorted())
    const isWithoutBody = (name: string) => endpoints.find((each) => each.name === name)?.status === 204
    const expected = EXAMPLE_REQUESTS.filter(({ operation }) => !isWithoutBody(operation)).map(exampleName)
    expect(Object.keys(examples).toSorted()).toEqual(expected.toSorted())
  })

  test('every endpoint with two forms has an example of both', () => {
    const both = endpoints.filter(({ declared }) => declared !== undefined).map(({ name }) => `${name}.declared`)
    expect(
      Object.keys(examples)
        .filter((name) => name.endsWith('.declared'))
        .toSorted(),
    ).toEqual(both.toSorted())
  })

  test.each(Object.keys(examples))('%s has no empty list or object', (name) => {
    const allowed = MAY_BE_EMPTY[name] ?? []
    const empty = emptyParts(examples[name]).filter((path) => !allowed.some((each) => path.startsWith(each)))
    expect(empty).toEqual([])
  })

  test('no two are equal', () => {
    const texts = Object.entries(examples).map(([name, value]) => [JSON.stringify(value), name] as const)
    const shared = [...Map.groupBy(texts, ([text]) => text).values()].filter((each) => each.length > 1)
    expect(shared.map((each) => each.map(([, name]) => name))).toEqual([])
  })

  test('they show gaps, charges, refusals, results, an incident, invoices, and live and closed markets', () => {
    expect(examples.get_usage.usage[0]).toMatchObject({ endpoint: 'list_snapshots', refused: { invalid_request: 1 } })
    const result = { resolved_outcome: expect.stringMatching(/^(UP|DOWN)$/), settlement_price: expect.any(Number) }
    expect(examples['list_market_history.results'].markets[0]).toMatchObject(result)
    expect(examples['get_market.closed']).toMatchObject({ ...result, price_to_beat: expect.any(Number) })
    for (const { gaps } of [examples.get_sample, examples.list_files.files[0], examples.list_snapshots])
      expect(gaps[0]).toMatchObject({ cause: 'disconnected', kind: 'missing' })
    expect(examples.list_exchange_prices.gaps[0]).toMatchObject({ cause: 'capturer_down' })
    expect(examples.estimate.causes).toEqual({ disconnected: examples.estimate.missing_slots })
    expect(examples.list_gaps.gaps[0]).toMatchObject({ cause: 'hash_mismatch', kind: expect.any(String) })
    expect(examples.list_gaps.coverage.missing_slots).toBeGreaterThan(0)
    expect(examples.get_status.incidents[0]).toMatchObject({
      service: 'analytics_store',
      started_at: expect.stringMatching(/Z$/),
      ended_at: expect.stringMatching(/Z$/),
    })
    expect(examples.get_status.services[1].days.at(-1).failed_probes).toBeGreaterThan(2)
    expect(examples.get_usage.usage.map(({ credits }: { credits: number }) => credits > 0)).toEqual([true, true])
    expect(examples.get_usage.totalCredits).toBeGreaterThanOrEqual(30)
    expect(examples.get_limits.creditsRemaining % 10_000).not.toBe(0)
    expect(examples.get_invoice.status).toBe('paid')
    expect(examples.create_invoice.status).toBe('open')
    expect(examples.export_hour.rows).toBeGreaterThan(1_000)
    for (const { stored, bids } of [examples.get_market_heatmap, examples.get_exchange_heatmap]) {
      expect(stored[0]).toBeGreaterThan(0)
      expect(bids).toMatch(/[^A…]/)
    }
    expect([examples.get_market.active, examples['get_market.closed'].active]).toEqual([true, false])
  })

  test('no key, and no address of the machine that recorded them', () => {
    const files = trackedFiles().filter((file) => file.startsWith('docs/examples/'))
    expect(files).not.toHaveLength(0)
    const texts = files.map(textOf).join('\n')
    expect(texts.match(/br_live_(?!0{38}|…)\w+/g) ?? []).toEqual([])
    expect(texts).not.toMatch(/127\.0\.0\.1|localhost/)
  })

  test('shortening keeps the first two items, three levels, the last days, and every string', () => {
    const four = [{ at: 1 }, { at: 2 }, { at: 3 }, { at: 4 }]
    expect(shorten({ list: four, days: four, bids: [1, 2, 3, 4], names: ['a', 'b', 'c'] })).toEqual({
      list: four.slice(0, 2),
      days: four.slice(2),
      bids: [1, 2, 3],
      names: ['a', 'b', 'c'],
    })
  })
})

describe('error examples (if one is missing or wrong: npm run docs -- --examples)', () => {
  test('there is one of every code and status', () => {
    const expected = Object.entries(API_ERRORS).flatMap(([code, error]) => [
      code,
      ...('otherStatus' in error ? [`${code}.${error.otherStatus}`] : []),
    ])
    expect(Object.keys(errorExamples).toSorted()).toEqual(expected.toSorted())
  })

  test.each(Object.entries(errorExamples))('%s', (name, { when, request, status, headers, answer }) => {
    const [code = '', otherStatus] = name.split('.')
    expect(answer.error).toBe(code)
    expect([status, answer.status]).toEqual(Array(2).fill(Number(otherStatus ?? API_ERRORS[code as ErrorCode].status)))
    expect(answer).toMatchObject({ message: expect.stringMatching(/\w/), request_id: expect.stringMatching(/\w/) })
    expect(when).toMatch(/\.$/)
    expect(request.path).toMatch(/^\//)
    if (status === 429 || status === 503) expect(headers).toHaveProperty('Retry-After')
  })

  test('no two have the same request to the same effect', () => {
    const messages = Object.values(errorExamples).map(({ answer: { message, status } }) => `${status} ${message}`)
    expect(new Set(messages).size).toBe(messages.length)
  })
})

describe('pages of endpoints', () => {
  const generated = ['docs/endpoints.md', 'docs/errors.md', ...new Set(endpoints.map(({ group }) => groupFile(group)))]

  test.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s has its parameters, price, request, answer and errors',
    (name, endpoint) => {
      const page = textOf(groupFile(endpoint.group))
      const [, rest = ''] = page.split(`\n## ${headingOf(endpoint)}\n`)
      const section = rest.split('\n## ')[0] ?? ''
      expect(section).toContain(`- Operation: \`${name}\``)
      expect(section).toMatch(/^- Price: (free|\d+ credits|by size)/m)
      expect(section).toMatch(/^- Access: \S/m)
      expect(section).toMatch(/^```sh\n(.*\n)*curl -s/m)
      expect(section).toMatch(endpoint.status === 204 ? /^Answer: 204/m : /^Answer:\n\n```json\n[[{]/m)
      expect(section).toMatch(/^Errors: \[/m)
      for (const schema of [endpoint.params, endpoint.query]) {
        for (const parameter of Object.keys(schema?.shape ?? {})) {
          expect(section).toMatch(new RegExp(`^\\| \`${parameter}\`( \\(path\\))? \\| \\w`, 'm'))
        }
      }
    },
  )

  test.each(generated)('%s has only links to headings that exist', (page) => {
    const folder = page.slice(0, page.lastIndexOf('/') + 1)
    const broken = [...textOf(page).matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g)].filter(([, file = '', anchor]) => {
      const target = file === '' ? page : new URL(`${folder}${file}`, 'file:///').pathname.slice(1)
      const headings = [...textOf(target).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
      return !headings.includes(anchor ?? '')
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })
})
