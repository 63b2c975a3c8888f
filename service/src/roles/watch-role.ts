import { setTimeout as sleep } from 'node:timers/promises'
import { liveBatches } from '../bus/live-rows.ts'
import { wallClock } from '../domain/clock.ts'
import { openDatabase } from '../stores/engines/postgres-database.ts'
import { Markets } from '../stores/markets/markets.ts'
import { LiveBoard } from '../watch/live-board.ts'
import { openBus } from '../wiring/engines.ts'
import type { Role } from './role.ts'

const CLEAR = '\u001b[2J\u001b[H'
const SHOWN = 14

/** Shows live recording statistics in the terminal, twice a second. */
export const watchRole: Role = async ({ config, log }, signal) => {
  const connection = await openBus(config, 'watch')
  const database = openDatabase({ url: config.DATABASE_URL })
  const markets = new Markets(database)
  const board = new LiveBoard()
  const names = new Map<string, string>()
  const read = async (): Promise<void> => {
    const broken = (error: Error): void => log.error({ err: error }, 'unreadable batch message')
    for await (const batch of liveBatches(connection, signal, broken)) board.take(batch, wallClock())
  }
  const show = async (): Promise<void> => {
    while (!signal.aborted) {
      const unnamed = board.busiest(SHOWN).filter((id) => !names.has(id))
      const found = await markets.byIds(unnamed, wallClock()).catch(() => [])
      for (const { id, slug } of found) names.set(id, slug)
      process.stdout.write(`${process.stdout.isTTY ? CLEAR : '\n'}${board.render(wallClock(), names, SHOWN)}\n`)
      await sleep(500, undefined, { signal }).catch(() => {})
    }
  }
  try {
    await Promise.all([read(), show()])
  } finally {
    await database.destroy()
    await connection.close()
  }
}
