import { BookreelError } from './bookreel-error.ts'
import { credentialsOf, openSession, type StreamEndpoint } from './connector.ts'
import { deferred } from './deferred.ts'
import type { Moment } from './generated/api-types.ts'
import type { Ack, ServerFrame } from './generated/stream-types.ts'
import type { Command } from './session.ts'
import type { StreamRequest } from './stream-events.ts'

export interface ReplayRequest extends StreamRequest {
  readonly from: Moment
  /** Not included. */
  readonly to: Moment
  /** Multiple of real time, or `max` for as fast as the events are read; default 1. */
  readonly speed?: number | 'max' | undefined
}

/** Rows, markets and maximum price of a replay. */
export type ReplayPlan = NonNullable<Ack['replay']>

export function replayCommand(request: ReplayRequest, isDryRun = false): Command {
  const { selectors, channels = ['book'], options, from, to, speed = 1 } = request
  const what = { selectors: [...selectors], channels: [...channels], ...(options && { options }) }
  return { op: 'replay', ...what, from: msOf(from), to: msOf(to), speed, dry_run: isDryRun }
}

/** Requests the plan of a replay over a short connection of its own. */
export async function planReplay(endpoint: StreamEndpoint, request: ReplayRequest): Promise<ReplayPlan> {
  const plan = deferred<ReplayPlan>()
  const onFrame = (frame: ServerFrame): void => {
    if (frame.type === 'welcome') session.send(replayCommand(request, true))
    if (frame.type === 'error') plan.reject(new BookreelError(frame.code, frame.message))
    if (frame.type === 'ack' && frame.op === 'replay') settle(frame)
  }
  const settle = ({ replay, accepted = [], rejected = [] }: Ack): void => {
    const [first] = rejected
    if (replay !== undefined && (accepted.length > 0 || first === undefined)) plan.resolve(replay)
    else {
      const { reason = 'unexpected_answer', message = 'The service sent no plan for this replay.' } = first ?? {}
      plan.reject(new BookreelError(reason, message, { details: { rejected } }))
    }
  }
  const session = openSession(endpoint, await credentialsOf(endpoint), onFrame)
  try {
    return await Promise.race([plan.promise, session.ended.then(({ error }) => Promise.reject(error))])
  } finally {
    session.close()
  }
}

export function msOf(moment: Moment): number {
  const ms = typeof moment === 'number' ? moment : new Date(moment).getTime()
  if (!Number.isFinite(ms)) throw new TypeError(`${String(moment)} is not a valid time`)
  return ms
}
