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
    defence: 'Where a session is required, an API key is not looked at.',
    removal: {
      file: 'service/src/pipeline/admit.ts',
      text: 'if (sessionAccess === undefined) throw signInNotConfigured()',
      replacement:
        'if (key !== undefined) return { signedInAccountId: (await accessControl.authenticate(key, ip)).accountId }\n  if (sessionAccess === undefined) throw signInNotConfigured()',
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
]
