import { setTimeout as sleep } from 'node:timers/promises'
import { gather } from './gather.ts'
import { untilAborted } from './until-aborted.ts'

export interface StorableMessage {
  /** Only called when everything in it is stored. */
  acknowledge(): Promise<unknown>
  /** It can never be stored: put it aside. */
  refuse(reason: unknown): Promise<unknown>
}

export interface StoreMeter {
  stored(messages: number): void
  refused(reason: unknown): void
  /** The store is away, or the bus didn't hear; both are tried again. */
  failed(error: unknown): void
}

export interface StoreDeps<Message extends StorableMessage> {
  readonly messages: AsyncIterable<Message>
  /** Harmless when repeated. */
  save(messages: readonly Message[]): Promise<void>
  /** Whether an error of `save` is the messages' own fault, so that repeating it would change nothing. */
  isRefusal(error: unknown): boolean
  readonly meter: StoreMeter
  /** Default 1000. */
  readonly retryAfterMs?: number | undefined
}

const RETRY_AFTER_MS = 1_000
const MOST_AT_ONCE = 500

/** Stores what arrives, many at once; a message is acknowledged when it is stored, and not before. */
export async function storeThenAcknowledge<Message extends StorableMessage>(
  deps: StoreDeps<Message>,
  signal: AbortSignal,
): Promise<void> {
  for await (const messages of gather(untilAborted(deps.messages, signal), MOST_AT_ONCE)) {
    await settle(deps, messages, signal)
    if (signal.aborted) return
  }
}

/** A message that is refused must not hold up the others: they are halved until it stands alone. */
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

/** Tries until it is stored and acknowledged, or refused, or the signal says to stop; says why it was refused. */
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
