import { ApiError } from '../../domain/api-error.ts'
import { momentMs } from '../connection/read-frame.ts'
import type { StreamLimits } from '../connection/stream-limits.ts'
import type { ClientFrame, ServerFrame } from '../protocol/protocol.ts'
import { type OpenReplayDeps, openReplay } from './open-replay.ts'
import type { Replay } from './replay.ts'

export interface ReplayControlDeps extends OpenReplayDeps {
  readonly limits: Pick<StreamLimits, 'takeSeek'>
  readonly onTrouble: (error: unknown) => void
}

type Ack = Extract<ServerFrame, { type: 'ack' }>
type Request<Op extends ClientFrame['op']> = Extract<ClientFrame, { op: Op }>
type Command = Request<'replay.pause' | 'replay.resume' | 'replay.seek' | 'replay.speed' | 'replay.stop'>

/** The replay of a connection, and its commands. */
export class ReplayControl {
  readonly #deps: ReplayControlDeps
  #replay: Replay | undefined
  #isEnded = false

  constructor(deps: ReplayControlDeps) {
    this.#deps = deps
  }

  get isRunning(): boolean {
    return this.#replay !== undefined
  }

  /** Returns the ack, or undefined when it was already sent (before the first row). */
  async start(frame: Request<'replay'>): Promise<Ack | undefined> {
    const { writer, onTrouble } = this.#deps
    if (this.isRunning) {
      writer.sendFrame({
        type: 'error',
        id: frame.id,
        code: 'busy',
        message: 'A replay is already running. Stop it first.',
      })
      return undefined
    }
    const { ack, replay } = await openReplay(this.#deps, frame)
    if (replay === undefined || this.#isEnded) return ack
    writer.sendFrame(ack)
    this.#replay = replay
    void replay.run().then(({ error, ...end }) => {
      this.#replay = undefined
      if (error !== undefined) onTrouble(error)
      writer.sendFrame({ type: 'replay_ended', ...end })
    })
    return undefined
  }

  command(frame: Command): Ack {
    const replay = this.#replay
    if (replay === undefined)
      throw new ApiError('invalid_request', 'No replay is running on this connection. Start one first.')
    if (frame.op === 'replay.pause') replay.pause()
    else if (frame.op === 'replay.resume') replay.resume()
    else if (frame.op === 'replay.speed') replay.speed = frame.speed
    else if (frame.op === 'replay.stop') replay.stop()
    else {
      this.#deps.limits.takeSeek(this.#deps.caller.accountId)
      replay.seek(momentMs(frame.to))
    }
    return { type: 'ack', id: frame.id, op: frame.op, at: replay.atMs }
  }

  /** The connection is closed. */
  end(): void {
    this.#isEnded = true
    this.#replay?.stop()
  }
}
