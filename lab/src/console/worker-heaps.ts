import type { Page } from '@bookreel/testbed/browser/real-browser'

export type Devtools = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>

type Ask = (method: string) => Promise<unknown>

interface HeapUsage {
  readonly usedSize: number
  /** Of the browser itself, such as nodes of the page. */
  readonly embedderHeapUsedSize?: number
  /** Of array buffers, which hold the columns of heat maps and the played books. */
  readonly backingStorageSize?: number
}

/** Bytes of the page and of all its workers, after garbage was collected. */
export async function heapBytes(devtools: Devtools): Promise<number> {
  const parts: Ask[] = [(method) => devtools.send(method as 'Runtime.getHeapUsage'), ...(await workersOf(devtools))]
  let sum = 0
  for (const ask of parts) {
    await ask('HeapProfiler.collectGarbage')
    const {
      usedSize,
      embedderHeapUsedSize = 0,
      backingStorageSize = 0,
    } = (await ask('Runtime.getHeapUsage')) as HeapUsage
    sum += usedSize + embedderHeapUsedSize + backingStorageSize
  }
  return sum
}

/** Workers have a connection of their own, inside that of the page. */
async function workersOf(devtools: Devtools): Promise<Ask[]> {
  const found: string[] = []
  const answers = new Map<number, (result: unknown) => void>()
  devtools.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker') found.push(sessionId)
  })
  devtools.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message) as { id?: number; result?: unknown }
    if (id !== undefined) answers.get(id)?.(result)
  })
  await devtools.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false })
  let last = 0
  return found.map((sessionId) => async (method) => {
    const id = ++last
    const answer = new Promise<unknown>((resolve) => answers.set(id, resolve))
    await devtools.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) })
    return answer
  })
}
