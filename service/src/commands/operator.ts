import { randomUUID } from 'node:crypto'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { issueKey } from '../access/issue-key.ts'
import { revokeKey } from '../access/revoke-key.ts'
import type { Config } from '../config.ts'
import { SCOPES, type Scope } from '../domain/scope.ts'
import { TIER_LIMITS, TIERS, type Tier } from '../domain/tier.ts'
import { Accounts } from '../stores/accounts/accounts.ts'
import { Events } from '../stores/accounts/events.ts'
import { CreditLedger } from '../stores/money/credit-ledger.ts'
import { PaymentReviews } from '../stores/money/payment-reviews.ts'
import { type Access, openAccess } from '../wiring/open-access.ts'

export interface OperatorTools {
  /** How this program is started here; for hints. */
  readonly name: string
  readonly readConfig: () => Config
  readonly print: (line: string) => void
  readonly complain: (line: string) => void
}

/** The result of a command: printed as JSON, or as one line of `name=value` pairs. */
type Finding = Readonly<Record<string, unknown>>

/** `bookreel-server accounts …`, `bookreel-server keys …` and `bookreel-server reviews …`. */
export function addOperatorCommands(program: Command, tools: OperatorTools): void {
  const act = async (isJson: boolean | undefined, action: (access: Access) => Promise<Finding | Finding[]>) => {
    const access = openAccess(tools.readConfig(), (error) => tools.complain(String(error)))
    try {
      const found = await action(access)
      if (isJson) tools.print(JSON.stringify(found))
      else if (Array.isArray(found) && found.length === 0) tools.print('None.')
      else for (const each of [found].flat()) tools.print(lineOf(each))
    } finally {
      await access.close()
    }
  }
  const accounts = program.command('accounts').description('manage accounts, their tiers and credits')
  addAccountCommands(accounts, act)
  addSignOut(accounts, act)
  addKeyCommands(program.command('keys').description('manage the API keys of an account'), act)
  addReviewCommands(program.command('reviews').description('payments that the operator must check'), act)
}

const DEFAULT_EVENT_LIMIT = 100

type Act = (isJson: boolean | undefined, action: (access: Access) => Promise<Finding | Finding[]>) => Promise<void>

const jsonOption = () => new Option('--json', 'print the result as JSON')
const tierArgument = () => new Argument('<tier>', 'the new tier').choices([...TIERS])

function addAccountCommands(accounts: Command, act: Act): void {
  accounts
    .command('create')
    .description('create an account with the free tier')
    .argument('<name>', 'name of the account')
    .addOption(jsonOption())
    .action((name: string, { json }: { json?: boolean }) =>
      act(json, async (access) => {
        const { id } = await access.accounts.create(name)
        return accountLine(access, id)
      }),
    )
  accounts
    .command('list')
    .description('list all accounts, oldest first')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      act(json, async ({ accounts: store }) =>
        (await store.list()).map(({ id, name, tier, balance }) => ({ id, name, tier, balance })),
      ),
    )
  accounts
    .command('events')
    .description('list the changes of an account, its keys and its credits, newest first')
    .argument('<account>', 'account id')
    .option('--limit <count>', 'maximum number of events', wholeNumber, DEFAULT_EVENT_LIMIT)
    .addOption(jsonOption())
    .action((accountId: string, { limit, json }: { limit: number; json?: boolean }) =>
      act(json, async ({ database }) =>
        (await new Events(database).list(accountId, limit)).map(({ atMs, kind, subject, detail }) => ({
          at: new Date(atMs).toISOString(),
          kind,
          subject,
          detail,
        })),
      ),
    )
  accounts
    .command('grant')
    .description('add credits to an account; a negative number removes credits')
    .argument('<account>', 'account id')
    .argument('<credits>', 'number of credits', wholeNumber)
    .option('--reference <text>', 'id of this grant; a repeated command with the same id adds nothing')
    .option('--note <text>', 'reason, stored with the grant')
    .addOption(jsonOption())
    .action((accountId: string, credits: number, options: { reference?: string; note?: string; json?: boolean }) =>
      act(options.json, async (access) => {
        const { reference = randomUUID(), note } = options
        const grant = { accountId, credits, kind: 'adjustment', idem: `operator:${reference}` } as const
        const isNew = await access.ledger.grant({ ...grant, ...(note !== undefined && { note }) })
        return { ...(await accountLine(access, accountId)), granted: isNew ? credits : 0 }
      }),
    )
  accounts
    .command('tier')
    .description('change the tier of an account; a paid tier adds its credits now and every month')
    .argument('<account>', 'account id')
    .addArgument(tierArgument())
    .option('--until <time>', 'when the tier ends; without it, never', instant)
    .addOption(jsonOption())
    .action((accountId: string, tier: Tier, { until, json }: { until?: number; json?: boolean }) =>
      act(json, async (access) => {
        await changeTier(access, accountId, tier, until)
        return accountLine(access, accountId)
      }),
    )
}

function addSignOut(accounts: Command, act: Act): void {
  accounts
    .command('sign-out')
    .description('end all browser sessions of an account; its API keys still work')
    .argument('<account>', 'account id')
    .addOption(jsonOption())
    .action((accountId: string, { json }: { json?: boolean }) =>
      act(json, async (access) => {
        await access.untilRedisReady()
        const { id } = await accountLine(access, accountId)
        return { id, sessionsEnded: await access.sessions.endAll(accountId) }
      }),
    )
}

function addKeyCommands(keys: Command, act: Act): void {
  keys
    .command('create')
    .description('create an API key; the key is shown only once')
    .argument('<account>', 'account id')
    .requiredOption('--label <text>', 'name of the key')
    .option('--scopes <names>', `comma-separated scopes: ${SCOPES.join(', ')}; without it, all`, scopeList)
    .option('--expires <time>', 'when the key expires; without it, never', instant)
    .option('--credit-limit <credits>', 'maximum credits per month; without it, no limit', wholeNumber)
    .addOption(jsonOption())
    .action((accountId: string, options: KeyOptions) =>
      act(options.json, async (access) => {
        const { label, scopes, expires: expiresAtMs, creditLimit } = options
        const choices = {
          ...(scopes && { scopes }),
          ...(expiresAtMs !== undefined && { expiresAtMs }),
          ...(creditLimit !== undefined && { creditLimit }),
        }
        const { key, stored } = await issueKey(access, { accountId, label, ...choices })
        return { id: stored.id, key, label: stored.label, scopes: stored.scopes }
      }),
    )
  keys
    .command('list')
    .description('list all keys of an account, including revoked ones')
    .argument('<account>', 'account id')
    .addOption(jsonOption())
    .action((accountId: string, { json }: { json?: boolean }) =>
      act(json, async ({ keys: store }) => (await store.list(accountId)).map((key) => ({ ...key }))),
    )
  keys
    .command('revoke')
    .description('revoke a key on all nodes immediately')
    .argument('<key>', 'key id')
    .addOption(jsonOption())
    .action((keyId: string, { json }: { json?: boolean }) =>
      act(json, async (access) => {
        await access.untilRedisReady()
        if (!(await revokeKey(access, keyId))) throw new Error(`No active key has the id ${keyId}`)
        return { id: keyId, revoked: true }
      }),
    )
}

function addReviewCommands(reviews: Command, act: Act): void {
  reviews
    .command('list')
    .description('list open reviews, oldest first, with the account and the payment')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      act(json, async ({ database }) =>
        (await new PaymentReviews(database).waiting()).map(({ at, ...review }) => ({
          ...review,
          at: at.toISOString(),
        })),
      ),
    )
  reviews
    .command('resolve')
    .description('close a review; this adds no credits, use `accounts grant` for that')
    .argument('<review>', 'review number', wholeNumber)
    .requiredOption('--note <text>', 'what was decided')
    .addOption(jsonOption())
    .action((id: number, { note, json }: { note: string; json?: boolean }) =>
      act(json, async ({ database }) => {
        if (!(await new PaymentReviews(database).resolve(id, note)))
          throw new Error(`No open review has the number ${id}`)
        return { id, resolved: true }
      }),
    )
}

interface KeyOptions {
  label: string
  scopes?: Scope[]
  expires?: number
  creditLimit?: number
  json?: boolean
}

async function changeTier({ database }: Access, accountId: string, tier: Tier, expiresAtMs?: number): Promise<void> {
  const monthlyCredits = tier === 'free' ? 0 : TIER_LIMITS[tier].creditsPerMonth
  await database.transaction().execute(async (transaction) => {
    const change = { tier, monthlyCredits, ...(expiresAtMs !== undefined && { expiresAtMs }) }
    if (!(await new Accounts(transaction).setTier(accountId, change)))
      throw new Error(`No account has the id ${accountId}`)
    if (monthlyCredits === 0) return
    const idem = `operator:tier:${tier}:${new Date().toISOString().slice(0, 7)}`
    await new CreditLedger(transaction).grant({ accountId, credits: monthlyCredits, kind: 'grant', idem })
  })
}

async function accountLine({ accounts, ledger }: Access, accountId: string): Promise<Finding> {
  const spendable = await ledger.spendable(accountId)
  const account = await accounts.find(accountId)
  if (account === undefined) throw new Error(`No account has the id ${accountId}`)
  return { id: account.id, name: account.name, tier: account.tier, balance: spendable?.balance }
}

function lineOf(finding: Finding): string {
  return Object.entries(finding)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('  ')
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.')
  return value
}

function instant(text: string): number {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw new InvalidArgumentError('It must be a time such as 2027-01-31T00:00:00Z.')
  return atMs
}

function scopeList(text: string): Scope[] {
  const names = text.split(',')
  const scopes = SCOPES.filter((scope) => names.includes(scope))
  if (scopes.length !== names.length) throw new InvalidArgumentError(`Allowed scopes are ${SCOPES.join(', ')}.`)
  return scopes
}
