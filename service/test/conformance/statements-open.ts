import { choice, chosen, namedTest, type Statement } from './statement.ts'

/** What the interface does not mention. */
export const OPEN: readonly Statement[] = [
  chosen(
    'open-01',
    'What an empty answer means.',
    [
      choice(
        'An empty list is 200 with its reason in `X-Empty-Reason` and, where there is an envelope, in `empty_reason`: `no_match`, `outside_capture`, `gap`, `tier`, `not_recorded_yet`.',
        'An empty list without a reason looks like missing data.',
      ),
    ],
    'snapshots.empty filter.unknown-subcategory tier.empty',
  ),
  chosen(
    'open-02',
    'How lists other than the live list are paged.',
    [
      choice(
        '`cursor` in, `next_cursor` out; `X-Next-Cursor` where the answer is a bare list. `offset` exists only where the interface has it.',
        'A cursor neither repeats nor skips a row while rows arrive; one style is easier to learn.',
      ),
    ],
    'history-list.pages paging.cursor paging.header snapshots.pages paging.invoices cursor.invalid',
  ),
  chosen(
    'open-03',
    'Names and types of members that the interface does not list.',
    [
      choice(
        'One thing has one name. Data endpoints use snake_case, account endpoints camelCase as the interface does there; older request names stay accepted. Numbers are numbers except where the interface says text.',
        'The two styles of the interface are kept where they are, and no third one is added.',
      ),
    ],
    'names.account names.numbers names.coverage names.action names.history-from names.to',
  ),
  chosen(
    'open-04',
    'How exact numbers are.',
    [
      choice(
        'Prices and sizes have exactly the value that the venue sent.',
        'Rounded sizes would change the hash of a book.',
      ),
    ],
    'stored.as-at-the-venue',
  ),
  chosen(
    'open-05',
    'Which categories a tier includes.',
    [
      choice(
        'free: crypto; all other tiers: all. A market outside the tier is 403 by name, id and slug (402 on the snapshots list); a list leaves such markets out and names the categories in `X-Tier-Scope-Filtered`.',
        'The interface calls a tier full-access, so there are others.',
      ),
    ],
    'market.unknown-category-needs-all tier.category-refused tier.category-named tier.category-left-out tier.category-included tier.empty',
  ),
  chosen(
    'open-06',
    'How far back a tier may read.',
    [
      choice(
        'free 24 hours, all other tiers without bound. Older data is 403 (402 on the snapshots list). Without `from` the answer starts at the bound and says so.',
        'Only the 0 of pro is shown.',
      ),
    ],
    'tier.history-refused tier.history-included tier.history-unlimited',
  ),
  chosen(
    'open-07',
    'What a key may do.',
    [
      choice(
        'A key has scopes: `live`, `history`, `stream`, `mcp`; all by default. The price of an order at a past time needs `history`. The scope of each endpoint is published.',
        'A key in a browser or a bot should not be able to spend everything.',
      ),
    ],
    'key.scopes scopes.endpoints scopes.execution scopes.published',
  ),
  chosen(
    'open-08',
    'How a paid request is repeated safely.',
    [
      choice(
        '`Idempotency-Key` (1 to 255 characters) of the snapshots list, hour files and create-invoice: the same request within 24 hours returns the same answer for free, up to 5 times, without rows that arrived later; another request under it is 409, and so is an answer that would differ.',
        'A lost connection must not cost twice.',
      ),
      choice(
        'An account pays the file of a day once, whole or in parts; later downloads are free.',
        'Programs read such files in many parts.',
      ),
    ],
    'credits.idempotency idempotency.published',
    namedTest('service/test/files/download-file.test.ts', 'is paid once: whole, in parts and on another day'),
  ),
  chosen(
    'open-09',
    'How a request is found again in the logs.',
    [choice('Every answer has `X-Request-Id`; a valid one of the caller is kept.', 'A user can report an error.')],
    'error.request-id',
  ),
  chosen(
    'open-10',
    'Headers of refused requests.',
    [
      choice(
        'Every answer to a valid key, of any status, has the headers of the rate limit, `X-Credits-Cost` (0 for errors) and `Cache-Control`; `X-Credits-Remaining` comes after a charge and with 402.',
        'A program must see what is left, also after errors.',
      ),
    ],
    'headers.every-status headers.out-of-credits headers.failures headers.published',
  ),
  chosen(
    'open-11',
    'Whether other sites may read answers in a browser.',
    [
      choice(
        'Every origin is allowed, but credentials never are, so a browser gives no cookie to the page of another site.',
        'A key is sent on purpose, a cookie is not.',
      ),
    ],
    'http.other-sites',
    namedTest('service/test/account/sessions.test.ts', 'is not cacheable, and allows no other site to send cookies'),
  ),
  chosen(
    'open-12',
    'How large a request may be, and how many at once.',
    [
      choice(
        'Long paths, large bodies, many history requests at once and many failed keys are refused with 4xx codes of their own.',
        'One account must not slow down others.',
      ),
    ],
    namedTest(
      'service/src/access/account-concurrency.test.ts',
      'requests beyond the queue limit are refused, and a failed request frees its place',
    ),
  ),
  chosen(
    'open-13',
    'What happens when a database is unavailable.',
    [
      choice(
        'What can be answered without it is answered; the rest is 503 `store_unavailable` with `Retry-After`, and nothing is charged.',
        'A live book does not need the accounts of a moment ago.',
      ),
    ],
    namedTest(
      'service/test/http/markets-book.test.ts',
      'without PostgreSQL the live list, the current window and its book are served',
    ),
  ),
  chosen(
    'open-14',
    'Order of the checks.',
    [
      choice(
        'Key, rate limit, parameters, tier, credits. Without a valid key nothing else is told.',
        'A stranger learns nothing about parameters or markets.',
      ),
    ],
    'key.before-parameters',
  ),
  chosen(
    'open-15',
    'Endpoints beyond the interface.',
    [
      choice(
        'Gaps, bars, trades, depth, books as of a time, execution prices, hour files, usage, limits of a key, invoices, liveness and readiness. They keep the rules of the interface.',
        'Nothing of the interface changes by them.',
      ),
    ],
    'usage.ledger usage.refused usage.invalid invoice.list tier.one-of-many limit.refused-added range.from-before-to invoice.unknown invoice.callback asof.includebook bars.side depth.within proof.stated execution.amount gaps.kind invoice.format',
    namedTest('service/test/conformance/conformance.test.ts', 'every endpoint is called'),
  ),
  chosen(
    'open-16',
    'Parquet.',
    [
      choice(
        '`format=parquet` on the snapshots list and bars, for the tiers that have csv.',
        'The same restriction for the same kind of use.',
      ),
    ],
    'format.parquet format.no-parquet',
  ),
  chosen(
    'open-17',
    'Access for agents.',
    [
      choice(
        '`/mcp` serves read-only tools over the same endpoints, with the same tiers and prices.',
        'The interface lists MCP access of a tier without describing it.',
      ),
    ],
    namedTest(
      'service/test/mcp/tools.test.ts',
      'is ten credits for snapshots, nothing for the rest, and equals the estimate',
    ),
  ),
  chosen(
    'open-18',
    'The price of a replay.',
    [
      choice(
        'One credit for 1,000 token rows; rows that are sent again after a seek are free.',
        'Nothing is paid twice.',
      ),
    ],
    'replay.charged-once',
    namedTest(
      'service/test/gateway/past.test.ts',
      'costs what was estimated, never more than the balance, and an estimate is free',
    ),
  ),
  chosen(
    'open-19',
    'Statuses that the interface does not list.',
    [
      choice(
        '400 for a wrong request, 405 for a wrong method, 409 for a conflict, 413 and 415 for a wrong body, 501 where something is not configured, 503 where it is unavailable.',
        'None of the listed statuses says the same.',
      ),
    ],
    'method.not-allowed parameter.unknown invoice.arranged-tier bounds.published',
  ),
  chosen(
    'open-20',
    'Markets of more than one venue.',
    [
      choice(
        'Lists, slugs and selectors mean Polymarket unless `venue` names another venue or `all`; answers state `venue`, in the live list with `form=declared` only if the request does. The condition id of another venue is an id of ours with the same form.',
        'A program that knows one venue sees the same markets as before.',
      ),
    ],
    'venue.lists venue.categories venue.latest venue.as-of venue.slugs venue.stated venue.declared',
  ),
]
