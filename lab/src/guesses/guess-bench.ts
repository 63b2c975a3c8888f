import { issueKey } from '@bookreel/service/access/issue-key'
import { revokeKey } from '@bookreel/service/access/revoke-key'
import { sql } from 'kysely'
import type { Progress } from '../experiment.ts'
import { HttpClient } from '../http-client.ts'
import { ListeningProcess } from '../listening-process.ts'
import { PreparedEngines } from '../prepared-engines.ts'

/** Checks the key and reads nothing else. */
export const KEY_PATH = '/v1/limits'
/** Lets a client choose its address, as behind a proxy. */
const TRUSTED_PROXIES = '127.0.0.1'

/** An API without a recorder. */
export class GuessBench implements AsyncDisposable {
  readonly api: ListeningProcess
  readonly #engines: PreparedEngines
  readonly #parts: AsyncDisposableStack

  private constructor(api: ListeningProcess, engines: PreparedEngines, parts: AsyncDisposableStack) {
    this.api = api
    this.#engines = engines
    this.#parts = parts
  }

  static async start(progress: Progress): Promise<GuessBench> {
    await using parts = new AsyncDisposableStack()
    progress('starting the engines')
    const engines = parts.use(await PreparedEngines.start({ TRUSTED_PROXIES }))
    progress('starting the API')
    const api = parts.use(await ListeningProcess.start('api', engines.environment, engines.folder))
    using client = new HttpClient(1)
    await api.untilOpen(client)
    return new GuessBench(api, engines, parts.move())
  }

  async honestKey(): Promise<string> {
    return (await this.#issue()).key
  }

  async revokedKey(): Promise<string> {
    const { access } = this.#engines
    const { key, stored } = await this.#issue()
    const onTrouble = (error: unknown): never => {
      throw error
    }
    await revokeKey({ keys: access.keys, rateLimits: access.rateLimits, onTrouble }, stored.id)
    return key
  }

  async expiredKey(): Promise<string> {
    const { key, stored } = await this.#issue()
    await this.#engines.access.database
      .updateTable('api_keys')
      .set({ expires_at: sql<Date>`now() - interval '1 hour'` })
      .where('id', '=', stored.id)
      .execute()
    return key
  }

  /** How often PostgreSQL has read the table of keys; the figure may be a second old. */
  async keyReads(): Promise<number> {
    const { rows } = await sql<{ reads: string }>`
      SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) AS reads
      FROM pg_stat_user_tables WHERE relname = 'api_keys'`.execute(this.#engines.access.database)
    return Number(rows[0]?.reads)
  }

  async #issue() {
    const { access } = this.#engines
    const { id } = await access.accounts.create('lab guesses')
    await access.accounts.setTier(id, { tier: 'enterprise', monthlyCredits: 0 })
    return issueKey(access, { accountId: id, label: 'lab' })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync()
  }
}
