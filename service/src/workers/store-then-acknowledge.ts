import { setTimeout as sleep } from 'node:timers/promises'
import { gather } from './gather.ts'
import { untilAborted } from './until-aborted.ts'

export interface StorableMessage {
  /** Called only after everything in the message is stored. */
  acknowledge(): Promise<unknown>
  /** The message can never be stored; it is discarded. */
  refuse(reason: unknown): Promise<unknown>
}

export interface StoreMeter {
  stored(messages: number): void
  refused(reason: unknown): void
  /** Storing or acknowledging failed; both are retried. */
  failed(error: unknown): void
}

export interface StoreDeps<Message extends StorableMessage> {
  readonly messages: AsyncIterable<Message>
  /** Must be idempotent. */
  save(messages: readonly Message[]): Promise<void>
  /** Whether an error of `save` is caused by the messages, so that a retry would fail again. */
  isRefusal(error: unknown): boolean
  readonly meter: StoreMeter
  /** Default 1000. */
  readonly retryAfterMs?: number | undefined
}

const RETRY_AFTER_MS = 1_000
const MOST_AT_ONCE = 500

/** Stores messages, many at once; a message is acknowledged only after it is stored. */
export async function storeThenAcknowledge<Message extends StorableMessage>(
  deps: StoreDeps<Message>,
  signal: AbortSignal,
): Promise<void> {
  for await (const messages of gather(untilAborted(deps.messages, signal), MOST_AT_ONCE)) {
    await settle(deps, messages, signal)
    if (signal.aborted) return
  }
}

/** A refused message must not block the others: the messages are split in halves until it is alone. */
async function settle<Message extends StorableMessage>(
  deps: StoreDeps<Message>,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<void> {
  const refusal = await store(deps, messages, signal)
  if (refusal === undefined) return
  const [first, ...others] = messages
  if (first !== undefined && others.length === 0) {
    deps.meter.refused(refusal)
    await first.refuse(refusal).catch((error: unknown) => deps.meter.failed(error))
    return
  }
  const middle = messages.length >>> 1
  await settle(deps, messages.slice(0, middle), signal)
  await settle(deps, messages.slice(middle), signal)
}

/** Retries until the messages are stored and acknowledged, or refused, or the signal; returns the reason of a refusal. */
async function store<Message extends StorableMessage>(
  deps: StoreDeps<Message>,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<unknown> {
  while (!signal.aborted) {
    try {
      await deps.save(messages)
    } catch (error) {
      if (deps.isRefusal(error)) return error
      deps.meter.failed(error)
      await sleep(deps.retryAfterMs ?? RETRY_AFTER_MS, undefined, { signal }).catch(() => {})
      continue
    }
    deps.meter.stored(messages.length)
    await Promise.all(
      messages.map((message) => message.acknowledge().catch((error: unknown) => deps.meter.failed(error))),
    )
    return undefined
  }
  return undefined
}
