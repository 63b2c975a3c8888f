import { type Defect, defectsIn } from '../defects/defect.ts'

/** One defence, removed by a text patch, with the attack that then succeeds. */
export interface Removal {
  readonly defect: Defect
  readonly generator: string
  /** The bound that is met with the defence and not without it. */
  readonly breaks: string
  /** When twenty seconds are not enough. */
  readonly seconds?: number
}

interface Attacked {
  readonly generator: string
  readonly breaks: string
  readonly seconds?: number
}

function removal(
  path: string,
  [name, text, replacement]: readonly [string, string, string],
  attacked: Attacked,
): Removal {
  const [defect] = defectsIn(path, [name, text, replacement])
  if (defect === undefined) throw new Error(`no defect for ${name}`)
  return { defect, ...attacked }
}

/** Both, because the headers are a part of the request. */
const NO_LIMIT_FOR_HEADERS = [
  'headersMs: 5_000,\n  requestMs: 10_000,',
  'headersMs: 600_000,\n  requestMs: 600_000,',
] as const

export const REMOVALS: readonly Removal[] = [
  removal('http/hardened-server.ts', ['no time limit for headers', ...NO_LIMIT_FOR_HEADERS], {
    generator: 'slow-headers',
    breaks: 'slow-headers: longest connection',
  }),
  removal('http/hardened-server.ts', ['no time limit for silent connections', ...NO_LIMIT_FOR_HEADERS], {
    generator: 'half-open',
    breaks: 'half-open: longest connection',
  }),
  removal('http/hardened-server.ts', ['no time limit for bodies', 'requestMs: 10_000', 'requestMs: 600_000'], {
    generator: 'slow-bodies',
    breaks: 'slow-bodies: longest connection',
    seconds: 30,
  }),
  removal('access/connection-guard.ts', ['no time limit for readers', "this.cut(socket, 'slow_reader')", 'return'], {
    generator: 'slow-readers',
    breaks: 'slow-readers: longest connection',
    seconds: 90,
  }),
  removal('access/connection-guard.ts', ['no limit for one address', 'maxPerAddress: 256', 'maxPerAddress: 100_000'], {
    generator: 'crowd',
    breaks: 'crowd: connections closed',
  }),
  removal('gateway/upgrades.ts', ['no time limit for the key', 'KEY_WITHIN_MS = 5_000', 'KEY_WITHIN_MS = 600_000'], {
    generator: 'upgrade-flood',
    breaks: 'upgrade-flood: longest connection',
  }),
  removal(
    'access/access-control.ts',
    [
      'no limit for guesses',
      'FAILED_AUTHENTICATIONS = { rpm: 30, burst: 30 }',
      'FAILED_AUTHENTICATIONS = { rpm: 60_000, burst: 60_000 }',
    ],
    { generator: 'key-guessing', breaks: 'key-guessing: guesses answered with 401' },
  ),
  removal(
    'gateway/connection/stream-limits.ts',
    ['connections stay open after too many frames', 'MAX_BAD_FRAMES = 20', 'MAX_BAD_FRAMES = 1_000_000'],
    { generator: 'frame-bursts', breaks: 'frame-bursts: longest connection' },
  ),
  removal(
    'access/anonymous-budget.ts',
    ['no budget for sign-ins', 'sign_ins: { rpm: 30, burst: 30 }', 'sign_ins: { rpm: 60_000, burst: 60_000 }'],
    { generator: 'sign-in-flood', breaks: 'sign-in-flood: sign-ins begun' },
  ),
  removal(
    'access/anonymous-budget.ts',
    ['no budget for callbacks', 'callbacks: { rpm: 1_200, burst: 600 }', 'callbacks: { rpm: 60_000, burst: 60_000 }'],
    { generator: 'callback-flood', breaks: 'callback-flood: signatures checked' },
  ),
  removal(
    'http/anonymous-requests.ts',
    [
      'no budget for requests',
      'await budget.take(kind, ip, () => isCustomer(accessControl, suspects, { key, token, ip }))',
      '',
    ],
    { generator: 'document-flood', breaks: 'document-flood: documents sent' },
  ),
  removal(
    'access/anonymous-budget.ts',
    ['no budget for upgrades', 'upgrades: { rpm: 120, burst: 60 }', 'upgrades: { rpm: 60_000, burst: 60_000 }'],
    { generator: 'upgrade-churn', breaks: 'upgrade-churn: connections opened' },
  ),
]
