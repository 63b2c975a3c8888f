import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Peppers } from '../../src/access/peppers.ts'
import { addOperatorCommands } from '../../src/commands/operator.ts'
import { readConfig } from '../../src/config.ts'
import { AccessScene } from './access-scene.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

const environment = () => ({
  CLICKHOUSE_URL: 'http://127.0.0.1:1',
  CLICKHOUSE_USER: 'u',
  CLICKHOUSE_PASSWORD: 'p',
  NATS_URL: 'nats://127.0.0.1:1',
  ...scene.stack.variables,
})

/** The output of the command, run with the environment of the stack. */
async function bookreel(...args: string[]): Promise<string> {
  const lines: string[] = []
  const program = new Command()
  const tools = {
    name: 'bookreel-server',
    readConfig: async () => readConfig(environment()),
    print: (line: string) => lines.push(line),
  }
  addOperatorCommands(program, { ...tools, complain: () => {} })
  const family = [program, ...program.commands.flatMap((command) => [command, ...command.commands])]
  for (const command of family) command.exitOverride().configureOutput({ writeErr: () => {} })
  await program.parseAsync(args, { from: 'user' })
  return lines.join('\n')
}
const asJson = async (...args: string[]) => JSON.parse(await bookreel(...args, '--json'))

test('an operator creates an account, sets its tier and credits, and creates a key that works until it is revoked', async () => {
  const account = await asJson('accounts', 'create', 'Ada')
  expect(account).toMatchObject({ name: 'Ada', tier: 'free', balance: 5_000 })
  expect(await asJson('accounts', 'tier', account.id, 'pro')).toMatchObject({ tier: 'pro', balance: 55_000 })
  expect(await asJson('accounts', 'tier', account.id, 'pro')).toMatchObject({ tier: 'pro', balance: 55_000 })
  const grant = ['accounts', 'grant', account.id, '100', '--reference', 'ticket 7'] as const
  expect(await asJson(...grant)).toMatchObject({ balance: 55_100, granted: 100 })
  expect(await asJson(...grant)).toMatchObject({ balance: 55_100, granted: 0 })

  const made = await asJson('keys', 'create', account.id, '--label', 'bot', '--scopes', 'live,stream')
  const accessControl = scene.newAccessControl({ peppers: new Peppers(scene.stack.variable('KEY_PEPPER')) })
  const caller = await accessControl.authenticate(made.key, '10.0.0.1')
  expect(caller).toMatchObject({ accountId: account.id, label: 'bot', scopes: ['live', 'stream'] })
  const listed = await bookreel('keys', 'list', account.id)
  expect(listed).toContain(made.id)
  expect(listed).not.toContain(made.key)
  expect(await bookreel('accounts', 'list')).toContain(`${account.id}  name=Ada  tier=pro  balance=55100`)

  expect(await asJson('keys', 'revoke', made.id)).toMatchObject({
    id: made.id,
    label: 'bot',
    accountId: account.id,
    revoked: true,
  })
  await expect(accessControl.admit(caller)).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(bookreel('keys', 'revoke', made.id)).rejects.toThrow(/No active key/)
  const output = await bookreel('accounts', 'events', account.id)
  for (const kind of ['account_made', 'tier_changed', 'key_made', 'key_revoked', 'credits_adjustment'])
    expect(output).toContain(`kind=${kind}`)
  expect(output).not.toContain(made.key)
})

test('a key over the limit, an unknown tier and an unknown account are refused with a message', async () => {
  const { id } = await asJson('accounts', 'create', 'Bob')
  await bookreel('keys', 'create', id, '--label', 'first')
  await expect(bookreel('keys', 'create', id, '--label', 'second')).rejects.toThrow(/allows 1 working key\./)
  await expect(bookreel('accounts', 'tier', id, 'gold')).rejects.toThrow(/Allowed choices/)
  const nobody = '00000000-0000-4000-8000-000000000000'
  await expect(bookreel('accounts', 'tier', nobody, 'pro')).rejects.toThrow(/No account has the id/)
})

test('accounts and keys are found by id or name; unknown and ambiguous names are explained', async () => {
  const { id } = await asJson('accounts', 'create', 'Grace Hopper')
  expect(await asJson('accounts', 'tier', 'Grace Hopper', 'pro')).toMatchObject({ id, tier: 'pro' })
  expect(await asJson('accounts', 'grant', 'Grace Hopper', '7')).toMatchObject({ id, granted: 7 })
  expect(await bookreel('accounts', 'events', 'Grace Hopper')).toContain('kind=tier_changed')
  expect(await asJson('accounts', 'sign-out', 'Grace Hopper')).toMatchObject({ id })
  const key = await asJson('keys', 'create', 'Grace Hopper', '--label', 'cobol')
  expect(await asJson('keys', 'list', 'Grace Hopper')).toMatchObject([{ id: key.id, label: 'cobol' }])

  const advice = 'No account has the id or name nosuch. `bookreel-server accounts list` lists them.'
  for (const [group, command, ...rest] of [
    ['accounts', 'events'],
    ['accounts', 'grant', '5'],
    ['accounts', 'tier', 'pro'],
    ['accounts', 'sign-out'],
    ['keys', 'list'],
    ['keys', 'create', '--label', 'x'],
  ] as const)
    await expect(bookreel(group, command, 'nosuch', ...rest), command).rejects.toThrow(advice)
  await expect(bookreel('keys', 'revoke', 'nosuch')).rejects.toThrow(
    'No active key has the id or label nosuch. `bookreel-server keys list ACCOUNT` lists the keys of an account.',
  )

  const twin = await asJson('accounts', 'create', 'Grace Hopper')
  await expect(bookreel('keys', 'list', 'Grace Hopper')).rejects.toThrow(
    `2 accounts are called Grace Hopper. Use an id: ${id}, ${twin.id}.`,
  )
  await bookreel('keys', 'create', twin.id, '--label', 'cobol')
  await expect(bookreel('keys', 'revoke', 'cobol')).rejects.toThrow(
    new RegExp(`2 keys have or had the label cobol. Use the id of an active one: ${key.id} \\(account ${id}\\), `),
  )
  await bookreel('keys', 'revoke', key.id)
  // The other key belongs to another account, so the label alone must not revoke it.
  await expect(bookreel('keys', 'revoke', 'cobol')).rejects.toThrow(/2 keys have or had the label cobol/)
})

test('the command lists its subcommands, exits by itself, and names a missing argument', async () => {
  const start = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [MAIN, 'accounts', 'list'], { env })
  const { id } = await scene.accounts.create('Carol')
  expect((await start(environment())).stdout).toContain(`id=${id}  name=Carol`)
  const { KEY_PEPPER: _, ...withoutPepper } = environment() as Record<string, string>
  await expect(start(withoutPepper)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('KEY_PEPPER is not set'),
  })
  await expect(start({ NODE_ENV: 'production' })).rejects.toMatchObject({ code: 2 })
})

test('a payment that needs a manual review is listed with its account until it is reviewed', async () => {
  const account = await asJson('accounts', 'create', 'Eve')
  const { rows } = await sql<{ id: string }>`
    INSERT INTO invoices (account_id, provider, pack, price_usd, credits, months, expires_at)
    VALUES (${account.id}, 'btcpay', 'credits_50k', 49, 50000, 0, now()) RETURNING id
  `.execute(scene.database)
  const subject = rows[0]?.id ?? ''
  await sql`
    INSERT INTO payment_reviews (provider, subject, reason, detail)
    VALUES ('btcpay', ${subject}, 'overpaid', '{"received":"60"}'), ('btcpay', 'foreign', 'unknown_invoice', null)
  `.execute(scene.database)
  const [known, unknown] = await asJson('reviews', 'list')
  expect(known).toMatchObject({ subject, reason: 'overpaid', account: account.id, pack: 'credits_50k' })
  expect(unknown).toMatchObject({ subject: 'foreign', reason: 'unknown_invoice', account: null })
  await expect(bookreel('reviews', 'resolve', known.id)).rejects.toThrow(/--note/)
  expect(await asJson('reviews', 'resolve', known.id, '--note', 'sent back')).toMatchObject({ resolved: true })
  await expect(bookreel('reviews', 'resolve', known.id, '--note', 'again')).rejects.toThrow(
    /No open review has the number \d+/,
  )
  expect(await asJson('reviews', 'list')).toMatchObject([{ id: unknown.id }])
  await bookreel('reviews', 'resolve', unknown.id, '--note', 'not ours')
  expect([await bookreel('reviews', 'list'), await asJson('reviews', 'list')]).toEqual(['None.', []])
})
