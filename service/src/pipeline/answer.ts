import type { AccessControl } from '../access/access-control.ts'
import type { AccountConcurrency, Hold } from '../access/account-concurrency.ts'
import type { Caller } from '../access/caller.ts'
import { ChangedAnswer } from '../access/credit-charger.ts'
import type { PaidRead } from '../domain/paid-read.ts'
import { keyAccessOf, scopeFor } from '../endpoints/endpoint.ts'
import type { PerpStores } from '../endpoints/shared/perp-reads.ts'
import type { Stores } from '../endpoints/stores.ts'
import { ANONYMOUS, forCaller } from '../stores/engines/waiting-caller.ts'
import { type AdmissionDeps, admit, authenticate } from './admit.ts'
import { apiErrorOf } from './api-error-of.ts'
import type { ApiMetrics } from './api-metrics.ts'
import { authorise } from './authorise.ts'
import { chargeCredits } from './charge-credits.ts'
import type { Admitted, Bill, Exchange, IncomingRequest, Priced, ReadInput, Rendering } from './exchange.ts'
import { CallerDisconnected, inTime } from './in-time.ts'
import { recorded } from './record.ts'
import { contextOf } from './request-context.ts'

interface Recorded<Sent> {
  readonly sent: Sent | Promise<Sent>
  readonly status: number
}

/** Whose request it is, as soon as that is known. */
interface Known {
  caller?: Caller | undefined
}

export interface PipelineDeps extends AdmissionDeps {
  readonly accessControl: AccessControl
  /** Shared by all transports, so that an account can't get more by using several. */
  readonly concurrency: AccountConcurrency
  readonly stores: Stores & PerpStores
  readonly metrics: ApiMetrics
  readonly nowMs: () => number
}

/** Answers one request. The exchange reads the input and sends the answer in the way of its transport. */
export function answer<Answered extends Priced, Rendered extends Rendering, Sent>(
  deps: PipelineDeps,
  exchange: Exchange<Answered, Rendered, Sent>,
): Promise<Sent> {
  const known: Known = {}
  return recordedOrRefused(deps, exchange, known, async () => {
    const identity = await authenticate(deps, exchange)
    known.caller = identity.caller
    exchange.onAuthenticated?.(identity)
    const admitted = await admit(deps, exchange, identity)
    return forCaller(readerOf(admitted), () => serve(deps, exchange, admitted))
  })
}

/** Answers a call inside a request that is already admitted, such as a tool call in an MCP message. */
export function answerAdmitted<Answered extends Priced, Rendered extends Rendering, Sent>(
  deps: PipelineDeps,
  exchange: Exchange<Answered, Rendered, Sent>,
  admitted: Admitted,
): Promise<Sent> {
  const served = () => serve(deps, exchange, admitted)
  return recordedOrRefused(deps, exchange, admitted, () => forCaller(readerOf(admitted), served))
}

function readerOf({ caller, user }: Admitted): { readonly account: string } {
  return { account: (caller ?? user)?.accountId ?? ANONYMOUS }
}

async function serve<Answered extends Priced, Rendered extends Rendering, Sent>(
  deps: PipelineDeps,
  exchange: Exchange<Answered, Rendered, Sent>,
  admitted: Admitted,
): Promise<Recorded<Sent>> {
  const { caller, rate } = admitted
  const access = keyAccessOf(exchange.operation)
  const input = await exchange.readInput()
  const scope = access && scopeFor(access, input.given)
  authorise(admitted, { ...access, scope }, input.requires)
  const price = input.isFree ? 0 : (access?.credits ?? 0)
  const isMetered = exchange.operation.priceRule !== undefined && !input.isFree
  const mayBePaid = price > 0 || (isMetered && rate?.freeBooksLeft === 0)

  const { idempotencyKey } = input
  const findPaid = async () =>
    caller && idempotencyKey !== undefined
      ? deps.accessControl.findPaid(caller, { idempotencyKey, fingerprint: input.fingerprint() })
      : undefined
  const readAndCharge = async (hold: Hold, paidRead: PaidRead | undefined) => {
    const read = async (signal: AbortSignal) => {
      const context = contextOf(deps, exchange, input, admitted, { signal, paidRead })
      const answered = await input.handle(context, admitted)
      const rendered = await input.render(answered)
      if (signal.aborted) rendered.discard?.()
      return { answered, rendered, nowMs: context.nowMs }
    }
    const { answered, rendered, nowMs } = await inTime(exchange.onDisconnect, (signal) => {
      const reading = read(signal)
      hold(reading)
      return reading
    })
    if (rendered.untilSent !== undefined) hold(rendered.untilSent)
    const receipt = await charge(deps, exchange, admitted, input, { answered, rendered, price, nowMs })
    return { rendered, receipt }
  }
  const work = async (hold: Hold) => {
    const paid = mayBePaid ? await findPaid() : undefined
    if (caller && price > 0 && paid === undefined) await deps.accessControl.requireCredits(caller, price)
    try {
      return await readAndCharge(hold, paid?.read)
    } catch (error) {
      // The first request was still running when this retry began; now it is known what it has read.
      const other = error instanceof ChangedAnswer && paid === undefined ? await findPaid() : undefined
      if (other?.read === undefined) throw error
      return readAndCharge(hold, other.read)
    }
  }
  const isExpensive = scope === 'history' || access?.isExpensive?.(input.given) === true
  const { rendered, receipt } =
    caller !== undefined && isExpensive ? await deps.concurrency.take(caller.accountId, work) : await work(() => {})

  // Not awaited: the time that a client takes to read its answer is not ours.
  const sent = exchange.send(rendered, receipt)
  if (caller && access && input.isUse) deps.accessControl.noteServed(caller, exchange.operation.name)
  return { sent, status: rendered.status }
}

/** Counts and charges before the answer is sent, and only when it will be sent. */
async function charge(
  deps: PipelineDeps,
  { transport, operation, requestId }: IncomingRequest,
  { caller, rate }: Admitted,
  { fingerprint, idempotencyKey }: Pick<ReadInput, 'fingerprint' | 'idempotencyKey'>,
  { answered, rendered, price, nowMs }: { answered: Priced; rendered: Rendering; price: number; nowMs: number },
): Promise<Bill | undefined> {
  if (caller === undefined || rate === undefined) return undefined
  const { books, heldAs, freeIfBoughtBeforeMs, readUpToSlot } = answered
  const toCount = rendered.isDelivered ? (books ?? 0) : 0
  const counted = toCount === 0 ? undefined : await deps.accessControl.countBooks(caller, toCount)
  const credits = rendered.isDelivered ? (answered.credits ?? price) + (counted?.credits ?? 0) : 0
  const meter = books !== undefined && { books, freeBooksLeft: (counted ?? rate).freeBooksLeft }
  if (credits === 0) return { charged: 0, ...meter }
  const giveBack = async () => counted && deps.accessControl.countBooks(caller, -toCount)
  const answerHash = idempotencyKey === undefined || heldAs !== undefined ? undefined : rendered.hash?.()
  try {
    const receipt = await chargeCredits(deps, transport, caller, {
      credits,
      endpoint: operation.name,
      fingerprint: heldAs ?? fingerprint(),
      requestId,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(answerHash !== undefined && {
        answerHash,
        read: { atMs: nowMs, ...(readUpToSlot !== undefined && { upToSlot: readUpToSlot }) },
      }),
      ...(heldAs !== undefined && { heldAs }),
      ...(freeIfBoughtBeforeMs !== undefined && { freeIfBoughtBeforeMs }),
    })
    if (receipt.replayed) await giveBack()
    return { ...receipt, ...meter }
  } catch (error) {
    await giveBack()
    rendered.discard?.()
    throw error
  }
}

async function recordedOrRefused<Sent>(
  { metrics, accessControl }: PipelineDeps,
  exchange: IncomingRequest & Pick<Exchange<never, never, Sent>, 'refuse'>,
  known: Known,
  work: () => Promise<Recorded<Sent>>,
): Promise<Sent> {
  let served: Recorded<Sent>
  try {
    served = await recorded(metrics, exchange, work)
  } catch (error) {
    const refusal = apiErrorOf(error)
    const isCounted = keyAccessOf(exchange.operation) !== undefined && !(error instanceof CallerDisconnected)
    if (known.caller && isCounted) accessControl.noteRefused(known.caller, exchange.operation.name, refusal.code)
    return exchange.refuse(refusal)
  }
  return served.sent
}
