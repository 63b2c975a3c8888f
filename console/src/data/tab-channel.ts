/** What the tabs of one browser tell each other: they share one session. */
type TabMessage =
  | { readonly kind: 'activity'; readonly atMs: number }
  | { readonly kind: 'account'; readonly accountId: string }

const channel = new BroadcastChannel('bookreel-tabs')

export function tellTabs(message: TabMessage): void {
  channel.postMessage(message)
}

/** Returns a function that stops listening. */
export function listenToTabs(listener: (message: TabMessage) => void): () => void {
  const onMessage = ({ data }: MessageEvent<TabMessage>): void => listener(data)
  channel.addEventListener('message', onMessage)
  return () => channel.removeEventListener('message', onMessage)
}
