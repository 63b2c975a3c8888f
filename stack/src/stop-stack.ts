import { isAlive, sendSignal, untilGone } from './processes.ts'
import { readRecord, removeAbandoned } from './stack-record.ts'

const STOPPED_WITHIN_MS = 60_000

/** Stops the stack of a folder, whichever process started it, and removes the folder. */
export async function stopStack(dir: string): Promise<'stopped' | 'cleaned' | 'none'> {
  const record = readRecord(dir)
  if (!record) return 'none'
  if (!isAlive(record.supervisor)) {
    await removeAbandoned(dir, record)
    return 'cleaned'
  }
  sendSignal(record.supervisor, 'SIGTERM')
  if (!(await untilGone(record.supervisor, STOPPED_WITHIN_MS))) {
    throw new Error(
      `The supervisor (pid ${record.supervisor.pid}) did not stop within ${STOPPED_WITHIN_MS / 1000} s. Kill it, then run the command again.`,
    )
  }
  const left = readRecord(dir)
  if (left) await removeAbandoned(dir, left)
  return 'stopped'
}
