import { ConnectGate } from '../../venues/connect-gate.ts'
import { socketRules } from '../../venues/polymarket/socket-rules.ts'
import type { PolymarketAddresses } from '../../venues/polymarket/venue.ts'
import { listen, median, part, type Run, seconds } from '../field.ts'
import { fieldHttp } from '../field-http.ts'
import type { Ledger } from '../ledger.ts'
import { requireHttp, requireSocket } from '../reachable.ts'
import type { PolymarketAssumption } from './assumptions.ts'
import type { Check } from './check.ts'
import { checkEnded } from './ended.ts'
import { checkRestBooks, FollowedSocket } from './follow.ts'
import { checkClock, checkLists } from './lists.ts'
import { checkCustomEvents, checkManyTokens, checkSubscribing } from './subscriptions.ts'
import { findOpenWindows } from './windows.ts'

/** Each busy market gets a socket of its own; the others share one, as in the recorder. */
const BUSY_SOCKETS = 6
const QUIET_MARKETS = 10

export async function checkPolymarket(
  run: Run,
  addresses: PolymarketAddresses,
  ledger: Ledger<PolymarketAssumption>,
): Promise<void> {
  const { gammaUrl, clobUrl, socketUrl } = addresses
  await requireHttp('POLYMARKET_GAMMA_URL', gammaUrl)
  await requireHttp('POLYMARKET_CLOB_URL', clobUrl)
  await requireSocket('POLYMARKET_SOCKET_URL', socketUrl)
  const check: Check = {
    run,
    ledger,
    gamma: fieldHttp(run, 'polymarket', gammaUrl),
    clob: fieldHttp(run, 'polymarket', clobUrl),
    clobUrl,
    rules: socketRules(socketUrl),
    gate: new ConnectGate({ everyMs: 100, perMinute: 60 }),
  }
  const { open, later } = await findOpenWindows(check)
  const [busiest] = open
  if (busiest === undefined)
    throw new Error('The catalogue lists no crypto window that is open now, so there is nothing to follow.')
  const quiet = [...open.slice(BUSY_SOCKETS), ...later].slice(0, QUIET_MARKETS)
  const sockets = [
    ...open.slice(0, BUSY_SOCKETS).map((market) => new FollowedSocket(check, market.slug, [market])),
    ...(quiet.length > 0 ? [new FollowedSocket(check, 'quiet markets', quiet)] : []),
  ]
  // One that does not end during the run.
  const second = [...quiet, ...open.slice(1)].toSorted((one, other) => other.endsAtMs - one.endsAtMs)[0] ?? busiest
  await Promise.all([
    ...sockets.map((socket) => part(run, 'following markets', () => socket.run())),
    part(run, 'REST books', () => checkRestBooks(check, sockets)),
    listen(run, [
      part(run, 'subscriptions', () => checkSubscribing(check, second, busiest)),
      part(run, 'custom events', () => checkCustomEvents(check, busiest, second)),
      part(run, 'clock', () => checkClock(check)),
      part(run, 'ended windows', () => checkEnded(check, second)),
      part(run, 'lists of markets', async () => checkManyTokens(check, [...quiet, ...(await checkLists(check))])),
    ]),
  ])
  for (const socket of sockets) socket.judge()
  noteHashes(check, sockets)
  const answersMs = sockets.flatMap(({ answerDelaysMs }) => answerDelaysMs)
  ledger.note('heartbeat', `median ${seconds(median(answersMs))}, longest ${seconds(Math.max(0, ...answersMs))}`)
}

function noteHashes({ ledger }: Check, sockets: readonly FollowedSocket[]): void {
  const watched = sockets.flatMap(({ markets }) => [...markets.values()])
  const rules = new Map<string, number>()
  for (const { hashRules } of watched)
    for (const [name, count] of hashRules) rules.set(name, (rules.get(name) ?? 0) + count)
  ledger.note('hash-rule', [...rules].map(([name, count]) => `rule "${name}": ${count}`).join(', '))
  let doubts = 0
  for (const { checks, failures, hashRules, doubts: raised } of watched) {
    // With an unknown rule, no change can be checked.
    if (hashRules.size === 0) continue
    ledger.count('hash-of-changes', checks - failures, failures)
    doubts += raised
  }
  ledger.note('hash-of-changes', `${doubts} books were in doubt; the other failed checks passed with a later change`)
}
