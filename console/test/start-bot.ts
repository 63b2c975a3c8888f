import { Bookreel } from '@bookreel/sdk'

/** Streams with a key as a program does; a tier with one stream has no other. */
export function startBot(origin: string, key: string) {
  const stop = new AbortController()
  const slots: number[] = []
  const interruptions: string[] = []
  const client = new Bookreel({ baseUrl: origin, key })
  const what = { selectors: [{ coin: 'BTC', timeframe: '5m' }], channels: ['book'] } as const
  const reading = (async () => {
    for await (const event of client.stream(what, { signal: stop.signal })) {
      if ('seq' in event) slots.push(event.seq)
      if (event.type === 'disconnected') interruptions.push(event.code)
    }
  })()
  return {
    slots,
    interruptions,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await reading
    },
  }
}
