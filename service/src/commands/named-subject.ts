import type { NamedAccount } from '../stores/accounts/accounts.ts'
import type { StoredKey } from '../stores/accounts/keys.ts'
import type { Access } from '../wiring/open-access.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The account with this id or name. */
export async function namedAccount(
  { accounts }: Pick<Access, 'accounts'>,
  idOrName: string,
  programName: string,
): Promise<NamedAccount> {
  const [account, ...others] = await accounts.named(UUID.test(idOrName) ? { id: idOrName } : { name: idOrName })
  if (account === undefined)
    throw new Error(`No account has the id or name ${idOrName}. \`${programName} accounts list\` lists them.`)
  if (others.length > 0)
    throw new Error(
      `${others.length + 1} accounts are called ${idOrName}. Use an id: ${[account, ...others].map(({ id }) => id).join(', ')}.`,
    )
  return account
}

/** The active key with this id or label. Labels are chosen by users, so one that several keys had is refused. */
export async function namedKey(
  { keys }: Pick<Access, 'keys'>,
  idOrLabel: string,
  programName: string,
): Promise<StoredKey> {
  const found = await keys.named(UUID.test(idOrLabel) ? { id: idOrLabel } : { label: idOrLabel })
  const [active, ...others] = found.filter(({ revokedAtMs }) => revokedAtMs === undefined)
  if (active === undefined)
    throw new Error(
      `No active key has the id or label ${idOrLabel}. \`${programName} keys list ACCOUNT\` lists the keys of an account.`,
    )
  if (found.length > 1)
    throw new Error(
      `${found.length} keys have or had the label ${idOrLabel}. Use the id of an active one: ${[active, ...others]
        .map(({ id, accountId }) => `${id} (account ${accountId})`)
        .join(', ')}.`,
    )
  return active
}
