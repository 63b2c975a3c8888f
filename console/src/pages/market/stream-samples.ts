import { type CodeSample, type CodeView, commandSample, KEY_NEED } from './code-sample.ts'

const STREAM_NEED = `${KEY_NEED} with the scope stream, of a tier with streams`

/** Frames of now, or those of the range; a replay begins at the playhead, as the play button does. */
export function streamSamples(topic: 'live stream' | 'replay', view: CodeView): CodeSample[] {
  const { marketId, range, at } = view
  const from = at > range.from && at < range.to ? at : range.from
  const times = topic === 'replay' ? { from, to: range.to } : undefined
  const command = times === undefined ? `watch ${marketId}` : `replay ${times.from} ${times.to} ${marketId} --speed max`
  return [
    {
      language: 'TypeScript',
      needs: `${STREAM_NEED}, and the package @bookreel/sdk is installed.`,
      code: typescript(view, times),
    },
    {
      language: 'Python',
      needs: `${STREAM_NEED}, and the package websockets is installed.`,
      code: python(view, times),
    },
    commandSample(view, command),
  ]
}

type Times = { readonly from: string; readonly to: string } | undefined

function typescript({ baseUrl, marketId, side }: CodeView, times: Times): string {
  const opened =
    times === undefined
      ? `client.stream({ selectors: [{ market }], channels: ['book', 'trade'], options: { mode: 'delta' } })`
      : `client.replay({
  selectors: [{ market }], channels: ['book'], options: { mode: 'delta' },
  from: '${times.from}', to: '${times.to}', speed: 'max',
})`
  return `import { BookKeeper, Bookreel } from '@bookreel/sdk'

const client = new Bookreel({ baseUrl: '${baseUrl}', key: process.env.BOOKREEL_KEY })
const market = '${marketId}'
const books = new BookKeeper()
const events = ${opened}
for await (const event of events) {
  const kept = books.apply(event)
  if (kept?.isTrusted) console.log(kept.seq, kept.${side}.bestBid, kept.${side}.bestAsk)
  if (event.type === 'gap') console.log('slots', event.from_seq, 'to', event.to_seq, event.kind, event.cause)
}`
}

function python({ baseUrl, marketId }: CodeView, times: Times): string {
  const range =
    times === undefined ? '' : `\n    "from": ${Date.parse(times.from)}, "to": ${Date.parse(times.to)}, "speed": "max",`
  return `import asyncio
import json
import os
import websockets

request = {
    "id": 2, "op": "${times === undefined ? 'subscribe' : 'replay'}",
    "selectors": [{"market": "${marketId}"}], "channels": ["book"],${range}
}

async def main():
    address = "${baseUrl.replace(/^http/, 'ws')}/v1/stream"
    async with websockets.connect(address, max_size=None) as socket:
        await socket.send(json.dumps({"id": 1, "op": "auth", "key": os.environ["BOOKREEL_KEY"]}))
        await socket.send(json.dumps(request))
        async for text in socket:
            print(text)
            if json.loads(text)["type"] in ("replay_ended", "closing"):
                return

asyncio.run(main())`
}
