import { type Command, InvalidArgumentError } from 'commander'
import { issueKey } from '../access/issue-key.ts'
import { revokeKey } from '../access/revoke-key.ts'
import { SCOPES, type Scope } from '../domain/scope.ts'
import type { Act } from './act.ts'
import { withExamples } from './help-examples.ts'
import { namedAccount, namedKey } from './named-subject.ts'
import { instant, jsonOption, wholeNumber } from './read-arguments.ts'

export function addKeyCommands(program: Command, programName: string, act: Act): void {
  const keys = program.command('keys').description('manage the API keys of an account')
  withExamples(keys, 'keys list "Ada Lovelace"')
  const create = keys
    .command('create')
    .description('create an API key; the key is shown only once')
    .argument('<account>', 'id or name of the account')
    .requiredOption('--label <text>', 'name of the key')
    .option('--scopes <names>', `comma-separated scopes: ${SCOPES.join(', ')}; without it, all`, scopeList)
    .option('--expires <time>', 'when the key expires; without it, never', instant)
    .option('--credit-limit <credits>', 'maximum credits per month; without it, no limit', wholeNumber)
    .addOption(jsonOption())
    .action((account: string, options: KeyOptions) =>
      act(options.json, async (access) => {
        const { id: accountId } = await namedAccount(access, account, programName)
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
  withExamples(create, 'keys create "Ada Lovelace" --label bot --scopes live,stream')
  const list = keys
    .command('list')
    .description('list all keys of an account, including revoked ones')
    .argument('<account>', 'id or name of the account')
    .addOption(jsonOption())
    .action((account: string, { json }: { json?: boolean }) =>
      act(json, async (access) => {
        const { id } = await namedAccount(access, account, programName)
        return (await access.keys.list(id)).map((key) => ({ ...key }))
      }),
    )
  withExamples(list, 'keys list "Ada Lovelace" --json')
  const revoke = keys
    .command('revoke')
    .description('revoke a key on all nodes immediately')
    .argument('<key>', 'id or label of the key')
    .addOption(jsonOption())
    .action((key: string, { json }: { json?: boolean }) =>
      act(json, async (access) => {
        await access.untilRedisReady()
        const { id, accountId, label } = await namedKey(access, key, programName)
        return { id, accountId, label, revoked: await revokeKey(access, id) }
      }),
    )
  withExamples(revoke, 'keys revoke bot')
}

interface KeyOptions {
  label: string
  scopes?: Scope[]
  expires?: number
  creditLimit?: number
  json?: boolean
}

function scopeList(text: string): Scope[] {
  const names = text.split(',')
  const scopes = SCOPES.filter((scope) => names.includes(scope))
  if (scopes.length !== names.length) throw new InvalidArgumentError(`Allowed scopes are ${SCOPES.join(', ')}.`)
  return scopes
}
