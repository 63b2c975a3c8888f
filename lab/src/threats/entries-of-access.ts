import type { ThreatEntry } from './threat-entry.ts'

/** Who may do what, and what callers are told: keys, tiers, sessions, MCP, times. */
export const ENTRIES_OF_ACCESS: readonly ThreatEntry[] = [
  {
    id: 'T2',
    defence: 'A key has a checksum, so that a wrong one is refused without a lookup.',
    removal: {
      file: 'service/src/access/key-format.ts',
      text: ' && checksumOf(text.slice(0, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH)',
      replacement: '',
    },
    test: {
      file: 'service/src/access/key-format.test.ts',
      name: 'a key with one character changed, swapped, removed or added is invalid',
    },
  },
  {
    id: 'T3',
    defence: 'An error never repeats what was sent where a key belongs.',
    removal: {
      file: 'service/src/pipeline/presented-key.ts',
      text: 'return unsupportedScheme(SCHEME.exec(authorization)?.[1])',
      replacement: 'return unsupportedScheme(authorization)',
    },
    test: {
      file: 'service/src/pipeline/presented-key.test.ts',
      name: 'is refused with the headers that are accepted, and without repeating what may be a key',
    },
  },
  {
    id: 'T5',
    defence: 'A key is revoked only by its own account.',
    removal: {
      file: 'service/src/stores/accounts/keys.ts',
      text: "if (accountId !== undefined) query = query.where('account_id', '=', accountId)",
      replacement: '',
    },
    test: {
      file: 'service/test/access/keys.test.ts',
      name: 'an account can revoke only its own keys, each once, and an invalid id revokes nothing',
    },
  },
  {
    id: 'T7',
    defence: 'One function decides for all transports what a tier includes, and refuses the rest.',
    removal: {
      file: 'service/src/domain/tier.ts',
      text: 'if (mayUse(tier, capability)) return\n',
      replacement: 'return\n',
    },
    test: {
      file: 'service/src/domain/tier.test.ts',
      name: 'a refusal names the tiers that would do, with the status that was asked for',
    },
  },
  {
    id: 'T13',
    defence: 'Another site can not make a signed-in browser read, and pay, in the name of its user.',
    removal: {
      file: 'service/src/http/console-api.ts',
      text: '      requireOwnPage(request, origin)\n',
      replacement: '',
    },
    test: {
      file: 'service/test/account/console-api.test.ts',
      name: 'without a session, with an API key only, or without the header of our pages nothing is answered',
    },
  },
  {
    id: 'T13',
    defence: 'A ticket for a stream works once.',
    removal: {
      file: 'service/src/stores/accounts/stream-tickets.ts',
      text: 'client.getDel(keyOf(ticket))',
      replacement: 'client.get(keyOf(ticket))',
    },
    test: {
      file: 'service/test/account/console-streams.test.ts',
      name: 'a ticket opens one stream, with eight subscriptions; the answer says where and for how long',
    },
  },
  {
    id: 'T13',
    defence: 'A ticket for a stream works only on pages of the console.',
    removal: {
      file: 'service/src/gateway/upgrades.ts',
      text: '(publicOrigin === undefined || pending.origin !== publicOrigin)',
      replacement: 'publicOrigin === undefined',
    },
    test: {
      file: 'service/test/account/console-streams.test.ts',
      name: 'a ticket is refused on another site, by a program without an origin, and after 30 seconds',
    },
  },
  {
    id: 'T13',
    defence: 'Where a session is required, only its cookie counts; keys and tokens in headers are not looked at.',
    removal: {
      file: 'service/src/http/rest-exchange.ts',
      text: 'sessionToken: isOfSession || isConsole ? sessionToken(request) : undefined',
      replacement:
        'sessionToken: isOfSession || isConsole ? (sessionToken(request) ?? request.headers.authorization?.slice(7)) : undefined',
    },
    test: {
      file: 'service/test/account/sessions.test.ts',
      name: 'needs a session: no cookie, an API key and another cookie are refused',
    },
  },
  {
    id: 'T27',
    defence: 'Texts of a venue reach agents without invisible characters and with a limited length.',
    removal: {
      file: 'service/src/mcp/untrusted-text.ts',
      text: "const visible = text.replaceAll(INVISIBLE, ' ')",
      replacement: 'const visible = text',
    },
    test: { file: 'service/test/mcp/injection.test.ts', name: 'changes no shape' },
  },
  {
    id: 'T27',
    defence: 'Texts of a venue are in one member that is called untrusted_text.',
    removal: {
      file: 'service/src/mcp/reply-shape.ts',
      text: 'if (VENUE_TEXT.has(name)) venueText[name] = this.of(member)',
      replacement: "if (name === '') venueText[name] = this.of(member)",
    },
    test: { file: 'service/test/mcp/injection.test.ts', name: 'harmless text stays unchanged' },
  },
  {
    id: 'T28',
    defence: 'MCP refuses a foreign Host or Origin, by which another site could reach it.',
    removal: { file: 'service/src/mcp/add-mcp.ts', text: 'if (isAllowed) return\n', replacement: 'return\n' },
    test: { file: 'service/test/mcp/admission.test.ts', name: 'a foreign ' },
  },
  {
    id: 'T31',
    defence: 'The cause of an error is logged and not sent.',
    removal: {
      file: 'service/src/domain/api-error.ts',
      text: 'return { error, message, status, ...(details',
      replacement: 'return { error, message: [message, this.cause].join(), status, ...(details',
    },
    test: { file: 'service/src/domain/api-error.test.ts', name: 'details are public, the cause is not' },
  },
  {
    id: 'T34',
    defence: 'Only times from 2020 to 2099 are accepted.',
    removal: {
      file: 'service/src/endpoints/schemas/moment.ts',
      text: 'return ms !== undefined && isInBounds(ms) ? ms : undefined',
      replacement: 'return ms',
    },
    test: {
      file: 'service/src/endpoints/schemas/moment.test.ts',
      name: 'any text is a time within the bounds or none',
    },
  },
  {
    id: 'T34',
    defence: 'A day that does not exist is no time.',
    removal: {
      file: 'service/src/endpoints/schemas/moment.ts',
      text: 'return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)',
      replacement: 'return !Number.isNaN(ms)',
    },
    test: {
      file: 'service/src/endpoints/schemas/moment.test.ts',
      name: 'what no calendar and no clock has is no time',
    },
  },
  {
    id: 'I36',
    defence: 'Every cell of the table of tiers is checked against a table that was written by hand.',
    removal: {
      file: 'service/src/domain/tier.ts',
      text: 'return limits.wsMax > 0',
      replacement: 'return true',
    },
    test: { file: 'service/src/domain/tier.test.ts', name: 'the table of tiers: ' },
  },
  {
    id: 'T1',
    defence: 'Only a hash of a key is stored, made with a secret that is not in the database.',
    removal: {
      file: 'service/src/access/peppers.ts',
      text: "createHmac('sha256', secret).update(key).digest()",
      replacement: 'Buffer.from(key.slice(-32))',
    },
    test: {
      file: 'service/test/access/keys.test.ts',
      name: 'the database holds no key in clear text, and the hash is useless without the pepper',
    },
  },
  {
    id: 'T6',
    defence: 'Keys of an account are created one after the other.',
    removal: {
      file: 'service/src/stores/accounts/keys.ts',
      text: '.forNoKeyUpdate()\n        .executeTakeFirstOrThrow()\n      const { count }',
      replacement: '.executeTakeFirstOrThrow()\n      const { count }',
    },
    test: {
      file: 'service/test/access/keys.test.ts',
      name: 'of 200 concurrent requests for a key on a tier of 5 keys, 5 succeed',
    },
  },
  {
    id: 'T12',
    defence: 'A change needs the origin of our own pages and a header that other sites cannot send.',
    removal: {
      file: 'service/src/http/same-site.ts',
      text: "const isSameSite = from === origin && (relation === undefined || relation === 'same-origin')",
      replacement: 'const isSameSite = true',
    },
    test: {
      file: 'service/src/http/same-site.test.ts',
      name: 'a request that may come from another site is refused',
    },
  },
  {
    id: 'T12',
    defence: 'A change needs the header that other sites cannot send without asking.',
    removal: {
      file: 'service/src/http/same-site.ts',
      text: "isSameSite && headers['x-requested-with'] === REQUESTED_WITH",
      replacement: 'isSameSite',
    },
    test: {
      file: 'service/src/http/same-site.test.ts',
      name: 'a request that may come from another site is refused',
    },
  },
  {
    id: 'T17',
    defence: 'A refused value is described without writing it out, whatever its depth.',
    removal: {
      file: 'service/src/domain/value-problems.ts',
      text: "if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : 'an object'",
      replacement: '',
    },
    test: {
      file: 'service/src/domain/value-problems.test.ts',
      name: 'lists and objects of any depth are refused with a sentence',
    },
  },
  {
    id: 'T17',
    defence: 'A body is read only up to its limit, whatever length it claims to have.',
    removal: {
      file: 'service/src/pipeline/read-body.ts',
      text: 'if (bytes > maxBytes) throw tooLarge(maxBytes)',
      replacement: '',
    },
    test: {
      file: 'service/src/pipeline/read-body.test.ts',
      name: 'a body above the limit is refused, with and without its length',
    },
  },
  {
    id: 'T18',
    defence: 'A body is read only when its type is exactly application/json.',
    removal: {
      file: 'service/src/pipeline/read-body.ts',
      text: 'const JSON_TYPE = /^application\\/json\\s*(;|$)/i',
      replacement: 'const JSON_TYPE = /json/i',
    },
    test: {
      file: 'service/src/pipeline/read-body.test.ts',
      name: 'a body of any type but JSON is refused',
    },
  },
  {
    id: 'T21',
    defence: 'A WebSocket is opened with a key; cookies, which a browser adds by itself, are not read.',
    removal: {
      file: 'service/src/pipeline/presented-key.ts',
      text: "const { 'x-api-key': own, authorization } = headers",
      replacement: "const { 'x-api-key': own = headers.cookie, authorization } = headers",
    },
    test: {
      file: 'service/src/pipeline/presented-key.test.ts',
      name: 'a key ',
    },
  },
  {
    id: 'T24',
    defence: 'An answer of a venue is read only up to its limit.',
    removal: {
      file: 'service/src/venues/venue-http.ts',
      text: 'if (bytes > maxBytes) throw new RangeError',
      replacement: 'if (bytes < 0) throw new RangeError',
    },
    test: {
      file: 'service/src/venues/venue-http.test.ts',
      name: 'an answer that is too long is a failure',
    },
  },
  {
    id: 'T25',
    defence: 'With spreadsheet_safe, a text that a spreadsheet would run begins with a quote.',
    removal: {
      file: 'service/src/http/tabular.ts',
      text: 'isSpreadsheetSafe && FORMULA.test(value)',
      replacement: "isSpreadsheetSafe && value === ''",
    },
    test: {
      file: 'service/src/http/tabular.test.ts',
      name: 'with isSpreadsheetSafe, text that a spreadsheet would run begins with a quote; numbers do not',
    },
  },
  {
    id: 'T29',
    defence: 'A redirect of a venue is not followed, so that we connect only to hosts of the settings.',
    removal: {
      file: 'service/src/venues/venue-http.ts',
      text: "redirect: 'error'",
      replacement: "redirect: 'follow'",
    },
    test: {
      file: 'service/src/venues/venue-http.test.ts',
      name: 'a redirect to another host is not followed',
    },
  },
  {
    id: 'T35',
    defence: 'All keys of an account share one rate limit.',
    removal: {
      file: 'service/src/access/access-control.ts',
      text: 'this.#deps.rateLimits.take({ accountId, keyId,',
      replacement: 'this.#deps.rateLimits.take({ accountId: keyId, keyId,',
    },
    test: {
      file: 'service/test/access/access-control.test.ts',
      name: 'keys of one account share one rate limit, and a refusal says when to retry',
    },
  },
  {
    id: 'I33',
    defence: 'Without Redis, each node admits its share of the rate.',
    removal: {
      file: 'service/src/access/local-limit.ts',
      text: 'const intervalMs = (MINUTE_MS / rpm) * shares',
      replacement: 'const intervalMs = MINUTE_MS / rpm',
    },
    test: {
      file: 'service/src/access/local-limit.test.ts',
      name: 'nodes together never admit more than the rate',
    },
  },
]
