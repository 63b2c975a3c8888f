import { createHash } from 'node:crypto'
import type { AccessControl, Admission } from '../access/access-control.ts'
import type { AccountConcurrency } from '../access/account-concurrency.ts'
import type { Caller } from '../access/caller.ts'
import { ApiError } from '../domain/api-error.ts'
import { requireUse } from '../domain/tier.ts'
import { type Departure, inTime } from '../endpoints/shared/in-time.ts'
import type { Stores } from '../endpoints/stores.ts'
import { authoriseTool } from './authorise-tool.ts'
import type { Asking, Content, Tool } from './tool.ts'

export interface CallDeps {
  readonly gate: AccessControl
  /** The same as for other transports: an account has no more of them by asking in two ways. */
  readonly turns: AccountConcurrency
  readonly stores: Stores
  readonly nowMs: () => number
}

/** Who calls, and what is known of the request that carries the call. */
export interface Call {
  readonly caller: Caller
  /** How the request was counted, or why it was one too many. */
  readonly rate: Admission | ApiError
  readonly requestId: string
  /** Fires when the caller has gone. */
  readonly gone: AbortSignal
}

/** The walk of one call: read, may they, is it in their rate, answer, pay. */
export async function answerCall(deps: CallDeps, tool: Tool, given: unknown, call: Call): Promise<Content> {
  const { gate, turns } = deps
  const { caller, rate, gone } = call
  const answer = tool.read(given)
  authoriseTool(caller, tool)
  if (rate instanceof ApiError) throw rate
  const price = tool.access.credits ?? 0
  const buy = async (): Promise<Content> => {
    if (price > 0) await gate.requireCredits(caller, price)
    const content = await inTime(untilAborted(gone), (signal) => answer(askingOf(deps, tool, caller, rate, signal)))
    return { ...content, credits: price === 0 ? { charged: 0 } : await pay(gate, tool, given, price, call) }
  }
  const content = tool.access.scope === 'history' ? await turns.take(caller.accountId, buy) : await buy()
  gate.noteServed(caller, tool.name)
  return content
}

function askingOf(
  { gate, stores, nowMs }: CallDeps,
  { access }: Tool,
  caller: Caller,
  rate: Admission,
  signal: AbortSignal,
): Asking {
  return {
    caller: caller,
    callerContext: {
      rate,
      spendable: () => gate.spendable(caller),
      async requireCredits(credits, heldAs) {
        if (!(await gate.holds(caller, heldAs))) await gate.requireCredits(caller, credits)
      },
    },
    stores,
    nowMs: nowMs(),
    signal,
    require: (capability) =>
      requireUse(caller.tier, capability, access.tierStatus === undefined ? {} : { status: access.tierStatus }),
  }
}

/** Each call is bought under a name of its own, which the till gives it: who calls again buys again. */
async function pay(gate: AccessControl, { name }: Tool, given: unknown, credits: number, { caller, requestId }: Call) {
  const fingerprint = createHash('sha256')
    .update(`mcp ${name} ${JSON.stringify(given)}`)
    .digest('hex')
  const { charged, remaining } = await gate.charge(caller, { credits, endpoint: name, fingerprint, requestId })
  return { charged, remaining }
}

function untilAborted(gone: AbortSignal): Departure {
  return (onGone) => {
    if (gone.aborted) onGone()
    gone.addEventListener('abort', onGone)
    return () => gone.removeEventListener('abort', onGone)
  }
}
