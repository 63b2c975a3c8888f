import { type Defect, defectsIn } from '../defects/defect.ts'

/** Keys, tiers, credits, rate limits, sessions, packs, formats, headers and errors. */
export const DEFECTS_OF_ACCESS: readonly Defect[] = [
  ...defectsIn(
    'domain/tier.ts',
    ['pro has 301 requests a minute', 'rpm: 300', 'rpm: 301'],
    ['pro has 6 keys', 'maxKeys: 5,', 'maxKeys: 6,'],
    [
      'pro includes flat files',
      'streamSubscriptions: 500,\n    consoleRpm: 300,\n    extras: []',
      'streamSubscriptions: 500,\n    consoleRpm: 300,\n    extras: ALL_EXTRAS',
    ],
    ['free includes every category', "categories: ['crypto']", 'categories: CATEGORIES'],
    ['history is not limited by the tier', 'limits.historyHours === 0 ||', 'limits.historyHours >= 0 ||'],
    ['free reaches 25 hours back', 'historyHours: 24', 'historyHours: 25'],
  ),
  ...defectsIn('domain/packs.ts', ['the pro pack costs 18 dollars', 'priceUsd: 17', 'priceUsd: 18']),
  ...defectsIn(
    'pipeline/authorise.ts',
    [
      'the scope of a key is ignored',
      'if (caller !== undefined && scope !== undefined) requireScope(caller.scopes, scope)',
      '',
    ],
    ['a tier refusal of snapshots is 403', 'tierStatus && { status: tierStatus }', '{}'],
    ['formats ignore the tier', 'for (const each of requires) requireUse(tier, each)', ''],
  ),
  ...defectsIn('pipeline/admit.ts', [
    'requests are not counted',
    'const rate = await accessControl.admit(caller)',
    'const rate = { limit: 1, remaining: 1, resetSeconds: 1, degraded: false } as never',
  ]),
  ...defectsIn(
    'pipeline/answer.ts',
    ['every answer is free', 'const price = input.isFree ? 0 : (access?.credits ?? 0)', 'const price = 0'],
    [
      'a HEAD request is charged',
      'rendered.isDelivered ? (answered.credits ?? price) : 0',
      'answered.credits ?? price',
    ],
  ),
  ...defectsIn(
    'http/rest-exchange.ts',
    ['the cost header is missing', 'if (receipt?.charged !== undefined) reply.header(COST, receipt.charged)', ''],
    [
      'a refusal has no cost header',
      'if (caller !== undefined && keyAccessOf(endpoint) !== undefined) reply.header(COST, 0)',
      '',
    ],
    ['rate headers are missing', 'reply.headers(rateHeaders(rate))', ''],
    [
      'other sites may change an account',
      "if ((isOfSession || isConsole) && endpoint.method !== 'GET') requireSameSite(request, origin)",
      '',
    ],
  ),
  ...defectsIn(
    'pipeline/status-headers.ts',
    ['the older rate headers are missing', ', [`x-ratelimit-${name}`]: String(value)', ''],
    [
      'a refusal does not say when to ask again',
      "...(seconds !== undefined && { 'retry-after': String(seconds) }),",
      '',
    ],
    [
      'a refusal does not say how to authenticate',
      "...(challenge !== undefined && { 'www-authenticate': challenge }),",
      '',
    ],
  ),
  ...defectsIn(
    'http/server.ts',
    ['health checks need HTTPS', 'exempt: [HEALTH_PATH]', 'exempt: []'],
    [
      'answers have no request id',
      "reply.headers(HEADERS).header('x-request-id', request.id)",
      'reply.headers(HEADERS)',
    ],
    ['allowed methods are not listed', "reply.header('allow', allowed.join(', '))", ''],
  ),
  ...defectsIn('http/envelope-headers.ts', [
    'a long list has no link to its JSON',
    ', link: `<${jsonUrl}>; rel="alternate"; type="application/json"`',
    '',
  ]),
  ...defectsIn('endpoints/schemas/gap.ts', [
    'the end of a gap is its last slot',
    'slotTimeMs(toSlot + 1, intervalMs)',
    'slotTimeMs(toSlot, intervalMs)',
  ]),
  ...defectsIn('endpoints/shared/gap-page.ts', [
    'a page of gaps repeats the last one',
    'compare(positionOf(gap), after) > 0',
    'compare(positionOf(gap), after) >= 0',
  ]),
  ...defectsIn('endpoints/history/list-trades.ts', [
    'every trade is a purchase',
    "trade.side === 'BUY' ? 'buy' : 'sell'",
    "'buy'",
  ]),
  ...defectsIn('endpoints/shared/requested-range.ts', [
    'the limit of the tier is told where nothing is hidden',
    'recordedFromMs >= historyFromMs',
    'recordedFromMs < historyFromMs',
  ]),
  ...defectsIn('endpoints/account/get-usage.ts', [
    'usage includes the last day',
    'toDay: dayOf(toMs - DAY_MS)',
    'toDay: dayOf(toMs)',
  ]),
  ...defectsIn('http/openapi.ts', [
    'the published paths are below /v1',
    "servers: [{ url: '/' }]",
    "servers: [{ url: '/v1' }]",
  ]),
  ...defectsIn('domain/market-status.ts', ['a settling market is expired', "return 'settling'", "return 'expired'"]),
  ...defectsIn(
    'http/tabular.ts',
    ['flat files lose their envelope', '(name) => !inRows.includes(name)', "(name) => name === 'next_cursor'"],
    ['flat files change formulas', 'isSpreadsheetSafe && FORMULA.test(value)', 'FORMULA.test(value)'],
    ['null is an empty cell', "NULL = '\\\\N'", "NULL = ''"],
    ['tsv is separated by commas', "format === 'csv' ? ',' : '\\t'", "','"],
  ),
  ...defectsIn('http/read-input.ts', [
    'tsv is not served',
    "['json', 'csv', 'tsv'] : FORMATS",
    "['json', 'csv'] : FORMATS",
  ]),
  ...defectsIn(
    'endpoints/account/create-api-key.ts',
    ['a new key is answered with 200', 'status: 201,', ''],
    ['a key may expire in the past', 'expiresAtMs <= nowMs', 'expiresAtMs < 0'],
  ),
  ...defectsIn('endpoints/account/api-key-entry.ts', [
    'a key has no preview',
    'preview,\n    scopes: [...scopes]',
    "preview: '',\n    scopes: [...scopes]",
  ]),
  ...defectsIn('endpoints/account/get-user-tier.ts', [
    'spent credits are missing in the total',
    'creditsRemaining + (await stores.ledger.spentThisMonth(accountId))',
    'creditsRemaining',
  ]),
  ...defectsIn('endpoints/platform/list-packs.ts', ['the last pack is missing', '[...PACKS]', 'PACKS.slice(0, -1)']),
  ...defectsIn('endpoints/markets/get-execution-price.ts', [
    'past execution prices need no history scope',
    "scopeWith: { timestamp: 'history' }",
    'scopeWith: {}',
  ]),
  ...defectsIn(
    'http/require-https.ts',
    [
      'every caller may say that it used HTTPS',
      "if (request.protocol === 'https') return",
      "if (request.headers['x-forwarded-proto'] === 'https') return",
    ],
    ['plain HTTP is redirected for one request only', 'redirect(address, 308)', 'redirect(address, 302)'],
  ),
  ...defectsIn('config.ts', [
    'plain HTTP is served in production',
    "String(environment.NODE_ENV === 'production')",
    "'false'",
  ]),
  ...defectsIn('endpoints/schemas/moment.ts', [
    'times before 2020 are taken',
    'return ms >= EARLIEST_MS && ms < END_MS',
    'return ms >= 0 && ms < END_MS',
  ]),
  ...defectsIn('endpoints/deprecation.ts', [
    'the end of a deprecated endpoint is not told',
    '    sunset: new Date(',
    '    expires: new Date(',
  ]),
  ...defectsIn('access/refusals.ts', [
    'a refusal for lack of credits does not tell what is left',
    '      creditsRemaining: balance,',
    '',
  ]),
]
