import { BookreelError } from './bookreel-error.ts'
import type { StreamPlace } from './connector.ts'
import type { Moment } from './generated/api-types.ts'
import type { Ack, ServerFrame } from './generated/stream-types.ts'
import { type Command, Session } from './session.ts'
import type { StreamRequest } from './stream-events.ts'

export interface ReplayRequest extends StreamRequest {
  readonly from: Moment
  /** Not included. */
  readonly to: Moment
  /** Times real time, or as fast as it is read; default 1. */
  readonly speed?: number | 'max' | undefined
}

/** What a replay will bring, and what it costs at most. */
export type ReplayPlan = NonNullable<Ack['replay']>

export function replayCommand(request: ReplayRequest, isDryRun = false): Command {
  const { selectors, channels = ['book'], options, from, to, speed = 1 } = request
  const what = { selectors: [...selectors], channels: [...channels], ...(options && { options }) }
  return { op: 'replay', ...what, from: msOf(from), to: msOf(to), speed, dry_run: isDryRun }
}

/** Asks what a replay would bring and cost, and goes. */
export async function planReplay({ url, key, Socket }: StreamPlace, request: ReplayRequest): Promise<ReplayPlan> {
  const answer = Promise.withResolvers<ReplayPlan>()
  const onFrame = (frame: ServerFrame): void => {
    if (frame.type === 'welcome') session.send(replayCommand(request, true))
    if (frame.type === 'error') answer.reject(new BookreelError(frame.code, frame.message))
    if (frame.type === 'ack' && frame.op === 'replay') settle(frame)
  }
  const settle = ({ replay, accepted = [], rejected = [] }: Ack): void => {
    const [first] = rejected
    if (replay !== undefined && (accepted.length > 0 || first === undefined)) answer.resolve(replay)
    else {
      const { reason = 'unexpected_answer', message = 'The service told no plan.' } = first ?? {}
      answer.reject(new BookreelError(reason, message, { details: { rejected } }))
    }
  }
  const session = new Session({ url, key, Socket, onFrame })
  try {
    return await Promise.race([answer.promise, session.ended.then(({ error }) => Promise.reject(error))])
  } finally {
    session.close()
  }
}

export function msOf(moment: Moment): number {
  const ms = typeof moment === 'number' ? moment : new Date(moment).getTime()
  if (!Number.isFinite(ms)) throw new TypeError(`${String(moment)} is no moment`)
  return ms
}
