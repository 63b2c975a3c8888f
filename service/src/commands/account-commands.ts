import { randomUUID } from 'node:crypto'
import { Argument, type Command } from 'commander'
import { eraseAccount } from '../access/erase-account.ts'
import { wallClock } from '../domain/clock.ts'
import { TIER_LIMITS, TIERS, type Tier } from '../domain/tier.ts'
import { Accounts } from '../stores/accounts/accounts.ts'
import { Events } from '../stores/accounts/events.ts'
import { CreditLedger } from '../stores/money/credit-ledger.ts'
import type { Access } from '../wiring/open-access.ts'
import type { Act, Finding } from './act.ts'
import { withExamples } from './help-examples.ts'
import { namedAccount } from './named-subject.ts'
import { instant, jsonOption, wholeNumber } from './read-arguments.ts'
import { WrongUsage } from './wrong-usage.ts'

const DEFAULT_EVENT_LIMIT = 100

export function addAccountCommands(program: Command, programName: string, act: Act): void {
  const accounts = program.command('accounts').description('manage accounts, their tiers and credits')
  withExamples(accounts, 'accounts list', 'accounts tier "Ada Lovelace" pro')
  addListing(accounts, programName, act)
  addChanges(accounts, programName, act)
}

function addListing(accounts: Command, programName: string, act: Act): void {
  const create = accounts
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
  withExamples(create, 'accounts create "Ada Lovelace"')
  const list = accounts
    .command('list')
    .description('list all accounts, oldest first')
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      act(json, async ({ accounts: store }) =>
        (await store.list()).map(({ id, name, tier, balance }) => ({ id, name, tier, balance })),
      ),
    )
  withExamples(list, 'accounts list --json')
  const events = accounts
    .command('events')
    .description('list the changes of an account, its keys and its credits, newest first')
    .argument('<account>', 'id or name of the account')
    .option('--limit <count>', 'maximum number of events', wholeNumber, DEFAULT_EVENT_LIMIT)
    .addOption(jsonOption())
    .action((account: string, { limit, json }: { limit: number; json?: boolean }) =>
      act(json, async (access) => {
        const { id } = await namedAccount(access, account, programName)
        const found = await new Events(access.database).list(id, limit)
        return found.map(({ place, kind, subject, detail }) => ({
          at: new Date(place.atMs).toISOString(),
          kind,
          subject,
          detail,
        }))
      }),
    )
  withExamples(events, 'accounts events "Ada Lovelace" --limit 20')
}

function addChanges(accounts: Command, programName: string, act: Act): void {
  const grantCommand = accounts
    .command('grant')
    .description('add credits to an account; a negative number removes credits')
    .argument('<account>', 'id or name of the account')
    .argument('<credits>', 'number of credits', wholeNumber)
    .option('--reference <text>', 'id of this grant; a repeated command with the same id adds nothing')
    .option('--note <text>', 'reason, stored with the grant')
    .addOption(jsonOption())
    .action((account: string, credits: number, options: { reference?: string; note?: string; json?: boolean }) =>
      act(options.json, async (access) => {
        const { id: accountId } = await namedAccount(access, account, programName)
        const { reference = randomUUID(), note } = options
        const grant = { accountId, credits, kind: 'adjustment', idem: `operator:${reference}` } as const
        const isNew = await access.ledger.grant({ ...grant, ...(note !== undefined && { note }) })
        return { ...(await accountLine(access, accountId)), granted: isNew ? credits : 0 }
      }),
    )
  withExamples(grantCommand, 'accounts grant "Ada Lovelace" 500 --reference ticket-7 --note "after the outage"')
  const tierCommand = accounts
    .command('tier')
    .description('change the tier of an account; a paid tier adds its credits now and every month')
    .argument('<account>', 'id or name of the account')
    .addArgument(new Argument('<tier>', 'the new tier').choices([...TIERS]))
    .option('--until <time>', 'when the tier ends; without it, never', instant)
    .addOption(jsonOption())
    .action((account: string, tier: Tier, { until, json }: { until?: number; json?: boolean }) =>
      act(json, async (access) => {
        const { id: accountId } = await namedAccount(access, account, programName)
        await changeTier(access, accountId, tier, until)
        return accountLine(access, accountId)
      }),
    )
  withExamples(tierCommand, 'accounts tier "Ada Lovelace" pro --until 2027-01-31T00:00:00Z')
  const signOut = accounts
    .command('sign-out')
    .description('end all browser sessions of an account; its API keys still work')
    .argument('<account>', 'id or name of the account')
    .addOption(jsonOption())
    .action((account: string, { json }: { json?: boolean }) =>
      act(json, async (access) => {
        await access.untilRedisReady()
        const { id } = await namedAccount(access, account, programName)
        return { id, sessionsEnded: await access.sessions.endAll(id) }
      }),
    )
  withExamples(signOut, 'accounts sign-out "Ada Lovelace"')
  addErasure(accounts, programName, act)
}

function addErasure(accounts: Command, programName: string, act: Act): void {
  const erase = accounts
    .command('erase')
    .description(
      'revoke the keys of an account and remove e-mail, name and labels for ever; its credits and invoices stay',
    )
    .argument('<account>', 'id or name of the account')
    .requiredOption('--confirm <account>', 'the same id or name again')
    .addOption(jsonOption())
    .action((account: string, { confirm, json }: { confirm: string; json?: boolean }) =>
      act(json, async (access) => {
        if (confirm !== account)
          throw new WrongUsage(`--confirm must be ${account}, the account to erase. Nothing was changed.`)
        const { id } = await namedAccount(access, account, programName)
        await access.untilRedisReady()
        return { id, ...(await eraseAccount(access, id)) }
      }),
    )
  withExamples(erase, 'accounts erase "Ada Lovelace" --confirm "Ada Lovelace"')
}

async function changeTier({ database }: Access, accountId: string, tier: Tier, expiresAtMs?: number): Promise<void> {
  const monthlyCredits = tier === 'free' ? 0 : TIER_LIMITS[tier].creditsPerMonth
  await database.transaction().execute(async (transaction) => {
    const change = { tier, monthlyCredits, ...(expiresAtMs !== undefined && { expiresAtMs }) }
    if (!(await new Accounts(transaction).setTier(accountId, change)))
      throw new Error(`No account has the id ${accountId}`)
    if (monthlyCredits === 0) return
    const idem = `operator:tier:${tier}:${new Date(wallClock()).toISOString().slice(0, 7)}`
    await new CreditLedger(transaction).grant({ accountId, credits: monthlyCredits, kind: 'grant', idem })
  })
}

async function accountLine({ accounts, ledger }: Access, accountId: string): Promise<Finding> {
  const spendable = await ledger.spendable(accountId)
  const [account] = await accounts.named({ id: accountId })
  if (account === undefined) throw new Error(`No account has the id ${accountId}`)
  return { id: account.id, name: account.name, tier: account.tier, balance: spendable?.balance }
}
