import type { ThreatEntry } from './threat-entry.ts'

/** Credits, payments, limits of accounts, and what callers and logs must not learn. */
export const ENTRIES_OF_ACCOUNTS: readonly ThreatEntry[] = [
  {
    id: 'T4',
    defence: 'Every request looks for the mark of a revoked key in the same call that counts it.',
    removal: {
      file: 'service/src/stores/accounts/rate-limits.ts',
      text: "if redis.call('EXISTS', mark) == 1 then return -1, 0, 0, 0 end",
      replacement: '',
    },
    test: {
      file: 'service/test/access/access-control.test.ts',
      name: 'a revoked key is refused at the next request on a node that has cached it, and leaves the cache',
    },
  },
  {
    id: 'T8',
    defence: 'A charge is refused when the balance is lower.',
    removal: {
      file: 'service/migrations/postgres/0019-ledger-parts.sql',
      text: 'AND held.balance >= credits THEN',
      replacement: 'AND held.balance >= 0 THEN',
    },
    test: {
      file: 'service/test/access/credit-ledger.test.ts',
      name: 'of 1000 concurrent charges of 10 on a balance of 100, exactly 10 are paid',
    },
  },
  {
    id: 'T9',
    defence: 'A callback counts only with a true signature.',
    removal: {
      file: 'service/src/payments/signature.ts',
      text: 'if (digest.length === given.length && timingSafeEqual(digest, given)) isValid = true',
      replacement: 'if (digest.length === given.length) isValid = true',
    },
    test: {
      file: 'service/src/payments/callbacks.test.ts',
      name: 'refuses any change of a member that is read',
    },
  },
  {
    id: 'T10',
    defence: 'Every text that the processor may have signed is compared, with members of every depth.',
    removal: {
      file: 'service/src/payments/nowpayments.ts',
      text: "isSignedWith('sha512', secrets, canonicalForms(body), signature)",
      replacement: "isSignedWith('sha512', secrets, [JSON.stringify(body, [])], signature)",
    },
    test: {
      file: 'service/src/payments/callbacks.test.ts',
      name: 'accepts both signed forms with both secrets, for any order of keys in the body',
    },
  },
  {
    id: 'T11',
    defence: 'A payment of less than the price grants nothing.',
    removal: {
      file: 'service/src/domain/invoice.ts',
      text: "if (seen.received === 'less') return to('underpaid', 'underpaid')",
      replacement: '',
    },
    test: {
      file: 'service/src/domain/invoice.test.ts',
      name: 'what was bought is given once at most, and only for a full payment of this order',
    },
  },
  {
    id: 'T16',
    defence: 'Four history requests of an account run at once; others wait, and do not delay other accounts.',
    removal: {
      file: 'service/src/access/account-concurrency.ts',
      text: 'const concurrency = Math.max(1, Math.floor(MAX_RUNNING / this.#nodeCount()))',
      replacement: 'const concurrency = 1_000',
    },
    test: {
      file: 'service/src/access/account-concurrency.test.ts',
      name: 'four requests of an account run at once, further ones wait in order, and accounts do not block each other',
    },
  },
  {
    id: 'T19',
    defence: 'Headers of a proxy count only from addresses that the settings name.',
    removal: {
      file: 'service/src/access/client-address.ts',
      text: 'if (!isTrusted(proxies, peer)) return { ip: peer, isHttps: isEncrypted }',
      replacement: '',
    },
    test: {
      file: 'service/src/access/client-address.test.ts',
      name: 'headers of a peer that is not a trusted proxy are ignored',
    },
  },
  {
    id: 'T22',
    defence: 'Nothing is queued for a client that does not read: it gets the newest row when it reads again.',
    removal: {
      file: 'service/src/gateway/channels/row-stream.ts',
      text: 'missed.newest = frames\n',
      replacement: 'this.put(frames, true)\n',
    },
    test: {
      file: 'service/src/gateway/channels/row-stream.test.ts',
      name: 'a slow reader gets one notice of what it missed, then the newest row',
    },
  },
  {
    id: 'T26',
    defence: 'Texts on our pages are escaped, and the policy of the pages allows nothing inline.',
    removal: {
      file: 'service/src/http/refusal-page.ts',
      text: ".replaceAll('<', '&lt;')",
      replacement: '',
    },
    test: {
      file: 'service/src/http/refusal-page.test.ts',
      name: 'a text on the page of a refused sign-in cannot become markup, and nothing inline would run',
    },
  },
  {
    id: 'I27',
    defence: 'Only a row of the ledger moves a balance.',
    removal: {
      file: 'service/migrations/postgres/0002-accounts.sql',
      text: "RAISE EXCEPTION 'only the ledger moves a balance'\n    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'accounts_balance_by_ledger';",
      replacement: 'RETURN NEW;',
    },
    test: {
      file: 'service/test/access/credit-ledger.test.ts',
      name: 'ledger rows are never changed or deleted, and no balance changes without a row',
    },
  },
  {
    id: 'I28',
    defence: 'What is not delivered is not charged.',
    removal: {
      file: 'service/src/pipeline/answer.ts',
      text: 'rendered.isDelivered ? (answered.credits ?? price) : 0',
      replacement: 'answered.credits ?? price',
    },
    test: {
      file: 'service/src/pipeline/answer.test.ts',
      name: 'headers alone are sent and not charged',
    },
  },
  {
    id: 'I29',
    defence: 'A charge above the balance is refused with 402, on every node.',
    removal: {
      file: 'service/migrations/postgres/0019-ledger-parts.sql',
      text: 'AND held.balance >= credits THEN',
      replacement: 'AND held.balance >= 0 THEN',
    },
    test: {
      file: 'service/test/access/paying.test.ts',
      name: 'of 1000 purchases of 10 over four nodes on a balance of 100, ten are paid and the others get 402',
    },
  },
  {
    id: 'I31',
    defence: 'An invoice that is paid is never granted again.',
    removal: {
      file: 'service/src/domain/invoice.ts',
      text: "if (state === 'paid') return moveOfPaid(seen)",
      replacement: '',
    },
    test: {
      file: 'service/src/domain/invoice.test.ts',
      name: 'what was bought is given once at most, and only for a full payment of this order',
    },
  },
  {
    id: 'I32',
    defence: 'Without Redis, a cached key is looked up again after five seconds.',
    removal: {
      file: 'service/src/access/known-callers.ts',
      text: 'return this.#ageOf(entry) < FRESH_MS && !this.#hasEnded(entry)',
      replacement: 'return !this.#hasEnded(entry)',
    },
    test: {
      file: 'service/test/access/redis-away.nightly.test.ts',
      name: 'without Redis a key can be revoked, and is refused when its cache entry is five seconds old',
    },
  },
  {
    id: 'I35',
    defence: 'Secrets of the settings are removed from the log.',
    removal: {
      file: 'service/src/wiring/open-log.ts',
      text: ', ...SECRET_SETTINGS.map((name) => `*.${name}`)]',
      replacement: ']',
    },
    test: {
      file: 'service/src/wiring/open-log.test.ts',
      name: ': secret settings are removed',
    },
  },
  {
    id: 'T32',
    defence: 'Installing runs no script of a package.',
    removal: { file: '.npmrc', text: 'ignore-scripts=true', replacement: 'ignore-scripts=false' },
    test: { file: 'test/house.test.ts', name: 'installing runs no script of a package' },
  },
  {
    id: 'T33',
    defence: 'Answers to a key or a session are private to caches between us and the caller, or not stored at all.',
    removal: {
      file: 'service/src/http/render-answer.ts',
      text: "endpoint.access === 'public' && options.format === 'json'",
      replacement: 'true',
    },
    test: {
      file: 'service/test/http/markets-history.test.ts',
      name: 'the history list is cached with a max-age; the recent list is always current',
    },
  },
  {
    id: 'I34',
    defence: 'A key above the number of the tier is not created.',
    removal: {
      file: 'service/src/stores/accounts/keys.ts',
      text: 'if (Number(count) >= maxKeys) return undefined',
      replacement: '',
    },
    test: {
      file: 'service/test/access/keys.test.ts',
      name: 'revoked and expired keys do not count for the key limit, working ones do',
    },
  },
]
