import { ServerFrame } from '@bookreel/service/gateway/protocol/protocol'
import { type Random, random } from '@bookreel/simulator/world/random'
import { type RawData, WebSocket } from 'ws'
import type { Findings } from '../fuzz/findings.ts'
import { type FrameMaterial, type HostileFrame, makeFrame } from './make-frame.ts'

export interface StreamAbuse {
  readonly url: string
  readonly keys: readonly string[]
  readonly frames: number
  readonly connections: number
  readonly seed: string
  /** End of sending, by `performance.now()`. */
  readonly untilMs: number
  readonly material: FrameMaterial
  readonly onProgress: (sent: number) => void
}

/** About as many invalid frames as are tolerated; sometimes more than the rate limit allows. */
const [USUAL_MOST, RARE_MOST] = [22, 60]
const LARGEST_FRAME_BYTES = 64 * 1024
const ANSWER_WITHIN_MS = 60_000
/** Allowed close codes after abuse; 1006 is not allowed. */
const USUAL_CLOSE_CODES = new Set([1000, 1001, 1002, 1003, 1005, 1007, 1008, 1009, 4001, 4003, 4008, 4009, 4010])
const ROUTE = 'stream'

/** Sends hostile frames over several connections, each reopened when it was closed; returns the number of frames. */
export async function abuseStream(abuse: StreamAbuse, findings: Findings): Promise<number> {
  let [next, sent] = [0, 0]
  const work = async (worker: number): Promise<void> => {
    for (let visit = 0; next < abuse.frames && performance.now() < abuse.untilMs; visit++) {
      const draw = random(abuse.seed, 'connection', worker, visit)
      const from = next
      next = Math.min(abuse.frames, next + draw.whole(1, draw.chance(0.15) ? RARE_MOST : USUAL_MOST))
      const frames = Array.from({ length: next - from }, (_, index) =>
        makeFrame(abuse.material, random(abuse.seed, 'frame', from + index)),
      )
      // Frames that close the connection come last, so that the others are read.
      frames.sort((one, other) => Number(isFatal(one)) - Number(isFatal(other)))
      await visitOnce(abuse, draw, { from, frames }, findings)
      sent += frames.length
      abuse.onProgress(sent)
    }
  }
  await Promise.all(Array.from({ length: abuse.connections }, (_, worker) => work(worker)))
  return sent
}

/** One connection: sends all frames, then a ping; ends with the pong or when the connection is closed. */
async function visitOnce(
  { url, keys }: StreamAbuse,
  draw: Random,
  { from, frames }: { from: number; frames: readonly HostileFrame[] },
  findings: Findings,
): Promise<void> {
  const fail = (problem: string, answer: string, status: number | 'no answer' = 0): void =>
    findings.fail(ROUTE, { index: from, kind: 'frames', request: shown(frames), status, problem, answer })
  const end = Promise.withResolvers<void>()
  const socket = new WebSocket(url, { headers: { 'x-api-key': draw.pick(keys) }, perMessageDeflate: false })
  const late = setTimeout(() => {
    findings.unanswered++
    fail('neither answered nor closed in time', '', 'no answer')
    socket.terminate()
  }, ANSWER_WITHIN_MS)
  let isWelcome = false
  const last = `last-${from}`
  socket.on('message', (data: RawData) => {
    const text = Buffer.isBuffer(data) ? data.toString() : ''
    const { frame, problem } = check(text)
    if (problem !== undefined) {
      findings.breaches++
      fail(problem, text)
    }
    if (frame === undefined) return
    findings.count(ROUTE, 'code' in frame ? `${frame.type} ${frame.code}` : frame.type)
    if ('code' in frame && frame.code === 'internal') {
      findings.serverErrors++
      fail('an error of ours', text)
    }
    if (frame.type === 'welcome') {
      isWelcome = true
      for (const { bytes, isBinary } of frames) socket.send(bytes, { binary: isBinary })
      socket.send(JSON.stringify({ id: last, op: 'ping' }))
    } else if ('id' in frame && frame.id === last) socket.close()
  })
  socket.on('unexpected-response', (_request, response) => {
    findings.count(ROUTE, `refused ${response.statusCode}`)
    findings.noteStatus(response.statusCode ?? 0)
    response.resume()
    socket.terminate()
  })
  socket.on('error', () => {})
  socket.on('close', (code) => {
    findings.count(ROUTE, `closed ${code}`)
    if (isWelcome && !USUAL_CLOSE_CODES.has(code)) fail(`closed with ${code}`, '')
    end.resolve()
  })
  await end.promise
  clearTimeout(late)
}

function check(text: string): { frame?: ServerFrame; problem?: string } {
  try {
    const read = ServerFrame.safeParse(JSON.parse(text))
    return read.success ? { frame: read.data } : { problem: `no frame as published: ${read.error.issues[0]?.message}` }
  } catch {
    return { problem: 'no JSON' }
  }
}

function isFatal({ bytes, isBinary }: HostileFrame): boolean {
  return Buffer.byteLength(bytes) > LARGEST_FRAME_BYTES || (typeof bytes !== 'string' && !isBinary)
}

function shown(frames: readonly HostileFrame[]): string {
  return frames.map(({ kind, bytes }) => `${kind}: ${String(bytes).slice(0, 120)}`).join('\n')
}
