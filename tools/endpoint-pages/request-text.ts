import { EXAMPLE_REQUESTS, type ExampleRequest, type ExampleValues } from '../examples/example-requests.ts'

const SESSION_FILE = 'out/dev/example-session.txt'
const CREDENTIALS: Readonly<Record<ExampleRequest['as'], string>> = {
  anyone: '',
  pro: ' -H "X-API-Key: $BOOKREEL_KEY"',
  scale: ' -H "X-API-Key: $BOOKREEL_KEY_SCALE"',
  session: ` -b ${SESSION_FILE}`,
}
const PAST_LIST = `curl -s${CREDENTIALS.pro} "$BOOKREEL_URL/v1/markets/history/recent?crypto=BTC&timeframe=1h&status=closed"`

interface Variable {
  readonly meaning: string
  readonly command: string
}

/** Variables that are set once at the top of a page. */
const PAGE_VARIABLES: Partial<Record<keyof ExampleValues, Variable>> = {
  MARKET: {
    meaning: 'the open one-hour Bitcoin window',
    command: `MARKET=$(curl -s${CREDENTIALS.pro} "$BOOKREEL_URL/v1/markets/live?crypto=BTC&timeframe=1h&limit=1" | grep -o '0x[0-9a-f]*' | head -1)`,
  },
  PAST_MARKET: {
    meaning: 'a finished window',
    command: `PAST_MARKET=$(${PAST_LIST} | grep -o '"market_id":"[^"]*' | tail -1 | cut -d '"' -f 4)`,
  },
  HOUR: {
    meaning: 'the hour of the finished window',
    command: `HOUR=$(${PAST_LIST} | grep -o '"first_seen":"[^"]*' | tail -1 | cut -d '"' -f 4 | cut -c 1-13):00:00Z`,
  },
  GAP: {
    meaning: 'the start of the gap in the finished window',
    command: `GAP=$(curl -s${CREDENTIALS.pro} "$BOOKREEL_URL/v1/markets/$PAST_MARKET/gaps" | grep -o '"from":"[^"]*' | head -1 | cut -d '"' -f 4)`,
  },
  FILE: {
    meaning: 'a file of five-minute Bitcoin windows',
    command: `FILE=$(curl -s${CREDENTIALS.pro} "$BOOKREEL_URL/v1/files?coin=BTC&timeframe=5m" | grep -o '"id":"[^"]*' | head -1 | cut -d '"' -f 4)`,
  },
  TIME: { meaning: 'ten seconds ago, in epoch seconds', command: 'TIME=$(($(date +%s) - 10))' },
}

/** Variables that are set just before the request that needs them. */
const REQUEST_VARIABLES: Partial<Record<keyof ExampleValues, string>> = {
  EVENT: `EVENT=$(curl -s${CREDENTIALS.pro} "$BOOKREEL_URL/v1/events?limit=1" | grep -o '"event":"[^"]*' | cut -d '"' -f 4)`,
  SAMPLE: `SAMPLE=$(curl -s "$BOOKREEL_URL/v1/samples" | grep -o '"id":"[^"]*' | head -1 | cut -d '"' -f 4)`,
  KEY_ID: `KEY_ID=$(curl -s${CREDENTIALS.session} "$BOOKREEL_URL/v1/api-keys" | grep -o '"id":"[^"]*' | tail -1 | cut -d '"' -f 4)`,
  INVOICE: `INVOICE=$(curl -s${CREDENTIALS.session} "$BOOKREEL_URL/v1/payments/invoices" | grep -o '"invoiceId":"[^"]*' | tail -1 | cut -d '"' -f 4)`,
}

const SIGN_IN = `rm -f ${SESSION_FILE}
page=$(curl -sL -b ${SESSION_FILE} -c ${SESSION_FILE} -o /dev/null -w '%{url_effective}' "$BOOKREEL_URL/auth/login")
curl -sL -b ${SESSION_FILE} -c ${SESSION_FILE} -o /dev/null -d name=eve@example.test "$page"`

/** The commands that set the address, the keys, and the variables and the session that the requests use. */
export function preparation(requests: readonly ExampleRequest[]): string {
  const used = namesIn(requests)
  const variables = Object.entries(PAGE_VARIABLES).filter(([name]) => used.has(name))
  const lines = ['. out/dev/keys.env', ...variables.map(([, { meaning, command }]) => `# ${meaning}\n${command}`)]
  if (requests.some(({ as }) => as === 'session')) lines.push(`# sign in; any name works\n${SIGN_IN}`)
  return lines.join('\n')
}

/** The request as a command that can be pasted after the preparation of its page. */
export function curlOf(request: ExampleRequest): string {
  const { as, method, path, body } = request
  const parts = [
    `curl -s${CREDENTIALS[as]}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(method === 'GET' || as !== 'session' ? [] : [`-H "Origin: $BOOKREEL_URL" -H 'X-Requested-With: bookreel'`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`]),
    `"$BOOKREEL_URL${path}"`,
  ]
  const own = Object.entries(REQUEST_VARIABLES).filter(([name]) =>
    `${path} ${JSON.stringify(body)}`.includes(`$${name}`),
  )
  const separator = parts.join(' ').length > 120 ? ' \\\n  ' : ' '
  return [...own.map(([, command]) => command), parts.join(separator)].join('\n')
}

export function requestsOf(operation: string): readonly ExampleRequest[] {
  return EXAMPLE_REQUESTS.filter((request) => request.operation === operation)
}

function namesIn(requests: readonly ExampleRequest[]): Set<string> {
  return new Set(
    requests.flatMap(({ path, body }) =>
      [...`${path} ${JSON.stringify(body)}`.matchAll(/\$([A-Z_]+)/g)].map(([, name]) => name ?? ''),
    ),
  )
}

/** A shell replaces `$NAME` only between double quotes. */
function quoted(json: string): string {
  return json.includes('$') ? `"${json.replaceAll('"', '\\"')}"` : `'${json}'`
}
