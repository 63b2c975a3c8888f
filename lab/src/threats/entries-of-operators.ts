import type { ThreatEntry } from './threat-entry.ts'

const STREAMS_TEST = 'service/test/account/console-streams.test.ts'
const OPERATOR_TEST = 'service/test/account/operator.test.ts'

export const ENTRIES_OF_OPERATORS: readonly ThreatEntry[] = [
  {
    id: 'T33',
    defence: 'for people without the claim of operators the paths of operators do not exist',
    removal: {
      file: 'service/src/pipeline/admit.ts',
      text: 'if (isForOperators && user.operator === undefined) throw noSuchPath()',
      replacement: 'if (isForOperators && user === undefined) throw noSuchPath()',
    },
    test: { file: OPERATOR_TEST, name: 'for people who are no operators the paths do not exist' },
  },
  {
    id: 'T12',
    defence: 'a change by an operator needs a proof of identity within the last 15 minutes',
    removal: {
      file: 'service/src/domain/operator.ts',
      text: 'if (provedAtMs === undefined) return false',
      replacement: 'if (provedAtMs === undefined) return true',
    },
    test: { file: OPERATOR_TEST, name: 'a change needs a proof of identity' },
  },
  {
    id: 'T15',
    defence: 'PostgreSQL lets the API resolve payment reviews only in a function that also writes the event',
    removal: {
      file: 'service/src/domain/grants/postgres-grants.ts',
      text: "    payment_reviews: 'SELECT, INSERT',",
      replacement: "    payment_reviews: 'SELECT, INSERT, UPDATE',",
    },
    test: {
      file: 'service/test/logins/refused.test.ts',
      name: 'PostgreSQL refuses the API credits, tiers and the data of people',
    },
  },
  {
    id: 'T33',
    defence: 'an e-mail address that the identity provider has not verified is not kept, so it finds no account',
    removal: {
      file: 'service/src/access/identity-provider.ts',
      text: ' && isVerified === true',
      replacement: '',
    },
    test: { file: OPERATOR_TEST, name: 'an e-mail address that the identity provider has not verified' },
  },
  {
    id: 'T31',
    defence: 'customers learn the name of an operator, and neither an address nor an account',
    removal: {
      file: 'service/src/endpoints/account/list-account-events.ts',
      text: 'detail: withoutOperator(detail),',
      replacement: 'detail,',
    },
    test: { file: OPERATOR_TEST, name: 'a customer learns the name of an operator' },
  },
  {
    id: 'T33',
    defence: 'browsers keep an answer of the pages for one session only',
    removal: {
      file: 'service/src/http/console-api.ts',
      text: "reply.header('vary', 'cookie')",
      replacement: '',
    },
    test: { file: 'service/test/account/console-api.test.ts', name: 'browsers keep an answer of the pages' },
  },
  {
    id: 'T3',
    defence: 'failures are logged with the template of the path',
    removal: {
      file: 'service/src/http/route-of.ts',
      text: 'return request.is404 ? undefined : request.routeOptions.url',
      replacement: 'return request.url',
    },
    test: { file: 'service/test/http/logged-paths.test.ts', name: 'failures are logged with the template' },
  },
  {
    id: 'T12',
    defence: 'only the hash of a ticket for a stream is stored',
    removal: {
      file: 'service/src/stores/accounts/stream-tickets.ts',
      text: "createHash('sha256').update(ticket).digest('hex')",
      replacement: 'ticket',
    },
    test: {
      file: 'service/test/account/leaked-secrets.test.ts',
      name: 'no key, session, pepper or secret is in a log',
    },
  },
  {
    id: 'T12',
    defence: 'a stream of a page ends when its gateway can not ask for ten seconds whether it may go on',
    removal: {
      file: 'service/src/gateway/admission/console-watch.ts',
      text: 'if (askedAtMs - watched.confirmedAtMs >= unconfirmedForMs)',
      replacement: 'if (unconfirmedForMs < 0)',
    },
    test: { file: STREAMS_TEST, name: 'a gateway that can not ask whether a page may go on' },
  },
  {
    id: 'T7',
    defence: 'resumed streams and replays of a page keep the limits of the console',
    removal: {
      file: 'service/src/gateway/connection/connection.ts',
      text: "case 'replay':\n        requireSingleMarkets(this.caller, frame.selectors)",
      replacement: "case 'replay':",
    },
    test: { file: STREAMS_TEST, name: 'resumed streams and replays of a page have the same limits' },
  },
]
