import { isAlive, sendSignal, untilGone } from './processes.ts'
import { readRecord, removeRemains } from './stack-record.ts'

const STOPPED_WITHIN_MS = 60_000

/** Ends the stack of a folder, whoever started it, and removes the folder. */
export async function stopStack(dir: string): Promise<'stopped' | 'cleaned' | 'none'> {
  const record = readRecord(dir)
  if (!record) return 'none'
  if (!isAlive(record.supervisor)) {
    await removeRemains(dir, record)
    return 'cleaned'
  }
  sendSignal(record.supervisor, 'SIGTERM')
  if (!(await untilGone(record.supervisor, STOPPED_WITHIN_MS))) {
    throw new Error(`The supervisor (pid ${record.supervisor.pid}) did not end within ${STOPPED_WITHIN_MS / 1000} s`)
  }
  const remains = readRecord(dir)
  if (remains) await removeRemains(dir, remains)
  return 'stopped'
}
