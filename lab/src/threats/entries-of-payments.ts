import type { ThreatEntry } from './threat-entry.ts'

const MIGRATION_OF_CHARGES = 'service/migrations/postgres/0019-ledger-parts.sql'
const PAYING = 'service/test/access/paying.test.ts'
const LEDGER = 'service/test/access/credit-ledger.test.ts'
const CALLBACKS = 'service/src/payments/callbacks.test.ts'
const CASES = 'service/test/payments/payment-cases.test.ts'
const SNAPSHOTS = 'service/test/http/snapshots-list.test.ts'
const INJECTED = 'SQL in a slug or a token id is only text'

export const ENTRIES_OF_PAYMENTS: readonly ThreatEntry[] = [
  {
    id: 'T8',
    defence: 'A charge is refused when the balance is smaller than the price.',
    removal: { file: MIGRATION_OF_CHARGES, text: 'AND held.balance >= credits THEN', replacement: 'THEN' },
    test: { file: PAYING, name: 'of 1000 purchases of 10 over four nodes' },
  },
  {
    id: 'T8',
    defence: 'A retry is free only when its answer is the one that was paid for.',
    removal: { file: MIGRATION_OF_CHARGES, text: 'paid.answer_hash <> with_answer', replacement: 'false' },
    test: { file: PAYING, name: 'a retry is free only with the answer that was paid for' },
  },
  {
    id: 'T8',
    defence: 'A retry reads no rows that arrived after the charged request.',
    removal: {
      file: 'service/src/endpoints/snapshots/requested-page.ts',
      text: 'upToSlot: paidRead?.upToSlot',
      replacement: 'upToSlot: undefined',
    },
    test: { file: SNAPSHOTS, name: 'returns the answer that was charged and not the newer rows' },
  },
  {
    id: 'T9',
    defence: 'A callback counts only with the signature of the processor.',
    removal: {
      file: 'service/src/payments/signature.ts',
      text: 'digest.length === given.length && timingSafeEqual(digest, given)',
      replacement: 'digest.length === given.length && timingSafeEqual(digest, digest)',
    },
    test: { file: CALLBACKS, name: 'refuses any change of a member that is read' },
  },
  {
    id: 'T9',
    defence: 'Only a payment of this order and this price is granted.',
    removal: {
      file: 'service/src/domain/invoice.ts',
      text: 'if (!matchesOrder(asked, seen))',
      replacement: 'if (false)',
    },
    test: { file: 'service/src/domain/invoice.test.ts', name: 'what was bought is given once at most' },
  },
  {
    id: 'T10',
    defence: 'The signature of a callback covers nested members too.',
    removal: {
      file: 'service/src/payments/nowpayments.ts',
      text: 'JSON.stringify(sorted(body))',
      replacement: 'JSON.stringify(sorted({ ...body, fee: {} }))',
    },
    test: { file: CALLBACKS, name: 'accepts both signed forms with both secrets' },
  },
  {
    id: 'T11',
    defence: 'A payment of less than the price grants nothing.',
    removal: {
      file: 'service/src/domain/invoice.ts',
      text: "if (seen.received === 'less') return to('underpaid', 'underpaid')",
      replacement: '',
    },
    test: { file: CASES, name: 'finished with too little' },
  },
  {
    id: 'T11',
    defence: 'A further deposit to the address of a payment grants nothing.',
    removal: {
      file: 'service/src/payments/nowpayments.ts',
      text: '.filter(({ parent_payment_id: parent }) => !parent)',
      replacement: '.filter(() => true)',
    },
    test: { file: CASES, name: 'only a further deposit, which is finished' },
  },
  {
    id: 'T11',
    defence: 'A payment of which too little reaches the shop grants nothing.',
    removal: {
      file: 'service/src/payments/nowpayments.ts',
      text: 'if (!outcome || !currency) return true',
      replacement: 'if (outcome !== undefined) return false',
    },
    test: { file: CASES, name: 'finished, but half of it arrives' },
  },
  {
    id: 'T11',
    defence: 'A payment in another coin than the chosen one grants nothing.',
    removal: {
      file: 'service/src/payments/nowpayments.ts',
      text: 'if (payCurrency !== undefined &&',
      replacement: 'if (false &&',
    },
    test: { file: CASES, name: 'a payment in another coin than the chosen one is not taken' },
  },
  {
    id: 'T11',
    defence: 'A late payment at BTCPay waits for a decision, also when it is settled.',
    removal: {
      file: 'service/src/payments/btcpay.ts',
      text: "Processing: 'expired', Settled: 'expired'",
      replacement: "Processing: 'expired', Settled: 'paid'",
    },
    test: { file: CASES, name: 'settled although late' },
  },
  {
    id: 'T14',
    defence: 'Text of callers is a parameter of a ClickHouse query, never a part of it.',
    removal: {
      file: 'service/src/stores/markets/recorded-markets.ts',
      text: '`slug = {slug:String} AND ${OF_VENUE}`',
      replacement: "`slug = '${slug}' AND ${OF_VENUE}`",
    },
    test: { file: 'service/test/http/markets-by-slug.test.ts', name: INJECTED },
  },
  {
    id: 'T15',
    defence: 'Text of callers is a parameter of a PostgreSQL query, never a part of it.',
    removal: {
      file: 'service/src/stores/markets/markets.ts',
      text: ".where('markets.slug', '=', slug)",
      replacement: ".where(sql<boolean>`markets.slug = '${sql.raw(slug)}'`)",
    },
    test: { file: 'service/test/http/markets-by-slug.test.ts', name: INJECTED },
  },
  {
    id: 'T26',
    defence: 'The console shows names as text, without characters that change the direction of other text.',
    removal: {
      file: 'console/src/pages/keys/key-table.tsx',
      text: '{plainText(label)}',
      replacement: '{label}',
    },
    test: { file: 'console/test/keys.test.ts', name: 'markup in the name of a key is shown as text' },
  },
  {
    id: 'I19',
    defence: 'A page that ended between the two tokens of a slot continues with the second.',
    removal: {
      file: 'service/src/endpoints/snapshots/read-page.ts',
      text: 'after.slot + (isWhole ? 1 : 0)',
      replacement: 'after.slot + 1',
    },
    test: { file: SNAPSHOTS, name: 'is disjoint and complete while rows arrive' },
  },
  {
    id: 'I20',
    defence: 'Every format has the same rows and numbers.',
    removal: {
      file: 'service/src/endpoints/snapshots/list-snapshots.ts',
      text: '        includeBook: query.includebook,',
      replacement: '        includeBook: false,',
    },
    test: { file: SNAPSHOTS, name: 'Parquet has the same rows and numbers' },
  },
  {
    id: 'I22',
    defence: 'A callback with more than 16 levels is refused before it is sorted.',
    removal: {
      file: 'service/src/payments/callback-body.ts',
      text: 'isObject && !isDeeperThan(value, MAX_DEPTH)',
      replacement: 'isObject',
    },
    test: { file: CALLBACKS, name: 'nested arrays' },
  },
  {
    id: 'I27',
    defence: 'Every row of the ledger changes the balance, in the same transaction.',
    removal: {
      file: MIGRATION_OF_CHARGES,
      text: 'FOR EACH ROW WHEN (NEW.delta <> 0) EXECUTE FUNCTION move_balance()',
      replacement: 'FOR EACH ROW WHEN (NEW.delta > 0) EXECUTE FUNCTION move_balance()',
    },
    test: { file: LEDGER, name: 'of 1000 concurrent charges of 10 on a balance of 100' },
  },
  {
    id: 'I28',
    defence: 'A retry under the same key finds the charge of a request that was not answered.',
    removal: {
      file: 'service/src/access/credit-charger.ts',
      text: 'if (problem === undefined) return `client:${idempotencyKey}`',
      replacement: 'if (problem === undefined) return `client:${idempotencyKey}${randomUUID()}`',
    },
    test: {
      file: 'service/test/access/killed-while-charging.test.ts',
      name: 'charge lost',
    },
  },
  {
    id: 'I28',
    defence: 'The charge is the last step before the answer is sent, so an error costs nothing.',
    removal: {
      file: 'service/src/pipeline/answer.ts',
      text: 'const credits = rendered.isDelivered ? (answered.credits ?? price) : 0',
      replacement: 'const credits = answered.credits ?? price',
    },
    test: { file: 'service/src/pipeline/answer.test.ts', name: 'headers alone are sent and not charged' },
  },
  {
    id: 'I30',
    defence: 'Rows of the ledger can not be changed or deleted.',
    removal: {
      file: MIGRATION_OF_CHARGES,
      text: 'CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger',
      replacement: 'CREATE TRIGGER ledger_append_only BEFORE TRUNCATE ON ledger',
    },
    test: { file: LEDGER, name: 'ledger rows are never changed or deleted' },
  },
  {
    id: 'I31',
    defence: 'An invoice that is paid is never granted again.',
    removal: {
      file: 'service/src/domain/invoice.ts',
      text: "if (state === 'paid') return moveOfPaid(seen)",
      replacement: '',
    },
    test: { file: 'service/src/domain/invoice.test.ts', name: 'what was bought is given once at most' },
  },
]
