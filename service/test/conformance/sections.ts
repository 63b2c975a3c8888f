import type { Section } from './section.ts'
import { RESOURCES } from './sections-resources.ts'

/** The interface, part by part, in its order. */
export const SECTIONS: readonly Section[] = [
  {
    id: '1',
    title: 'What the service does',
    says: 'Books of binary markets and of perps are captured several times a second and served over HTTP, by key, tier and credits.',
    deviations: [
      {
        what: 'Prices are not bound to 0.01–0.99.',
        why: 'The venue has ticks down to 0.0001; a price is checked against its market’s tick and lies between 0 and 1.',
      },
      {
        what: 'Coins are captured every 250 ms; no plan is shipped with 100 ms.',
        why: 'The interval of a plan is configuration, 100 ms and up.',
      },
    ],
  },
  ...RESOURCES,
  {
    id: '3',
    title: 'States and transitions',
    says: 'A market is active until it has expired; a key works until it is revoked.',
    deviations: [
      {
        what: 'A live market looked up by raw id has its true flags.',
        why: 'The interface describes a defect there, which is not copied.',
      },
      {
        what: 'There are four states: upcoming, live, settling, expired.',
        why: 'Between its end and its resolution a market is neither.',
      },
    ],
  },
  {
    id: '4.1',
    title: 'Public endpoints',
    says: 'Health, public statistics, status of ninety days and the packs, without a key.',
    deviations: [
      {
        what: '`/health` is 503 when neither live books nor history can be served.',
        why: 'Load balancers check the status, not the body.',
      },
    ],
  },
  {
    id: '4.2',
    title: 'Markets',
    says: 'Lists of categories and markets with filters, a market and its book by slug or id, a summary, and the history lists.',
    deviations: [
      {
        what: 'An unknown category, coin or timeframe is refused with the allowed values; an unknown subcategory is an empty list with a reason.',
        why: 'The first are closed lists of the interface; the others grow with the venue.',
      },
      {
        what: 'The category `exchange` gives an empty list.',
        why: 'It is a word of the interface, but no binary market has it.',
      },
      {
        what: 'Unknown and repeated parameters are 400.',
        why: 'Ignoring a misspelt filter would return wrong results.',
      },
      {
        what: '`format` is taken on every GET with a key.',
        why: 'More than the interface lists; the same rule everywhere.',
      },
      {
        what: 'All five lengths of window are found by coin and length, also those that the venue names otherwise.',
        why: 'A caller who requests btc-updown-1h means the window, not its name.',
      },
      { what: 'Ties in the order of the live list are broken by id.', why: 'Pages must fit together.' },
      {
        what: 'Text that a spreadsheet would run as a formula is disarmed in flat files.',
        why: 'Market questions are untrusted text.',
      },
    ],
  },
  {
    id: '4.3',
    title: 'Snapshots',
    says: 'The stored past of a market in pages for 10 credits, the snapshot nearest to a moment, the last five, and figures of the recorder.',
    deviations: [
      {
        what: 'The list also has a cursor, the gaps of its range and how complete it is.',
        why: '“Paginated” is said without how; and no hole is silent.',
      },
      {
        what: 'Without a lower bound the newest come first.',
        why: 'The order is left open; without a start the newest rows are most useful.',
      },
      {
        what: 'The nearest snapshot must be within a minute of the moment, else 404.',
        why: 'Further away it is another moment.',
      },
      {
        what: 'Coins and lengths of the last-five list are not only the four each that are listed.',
        why: 'All that is recorded is served.',
      },
      {
        what: 'A tier that does not include the market or its age is 402 here, 403 elsewhere.',
        why: '402 is declared on this list only.',
      },
      {
        what: 'An empty page is a delivered answer and is charged.',
        why: 'An empty result is a result too; a dry run shows it for free.',
      },
    ],
  },
  {
    id: '4.4',
    title: 'Exchange',
    says: 'The live book of a perp for the upper tiers, none older than 60 seconds, and its stored past.',
    deviations: [
      { what: 'Seven coins on both endpoints.', why: 'The schema lists four, the text seven; seven are recorded.' },
      {
        what: 'Stored books come with ladders, as a bare array, for every tier; the cursor is a header.',
        why: 'The shape is left open; the gate is on the live book only.',
      },
      { what: '`exchange` is required on the live book and may be left out on the stored ones.', why: 'As listed.' },
    ],
  },
  {
    id: '4.5',
    title: 'Account',
    says: 'Keys, tier, subscription and invoices of a signed-in user.',
    deviations: [
      {
        what: 'Keys are a bare list; revoked ones are left out. A label, and perhaps an end, scopes and a limit of credits make one.',
        why: 'Bodies are left open.',
      },
      {
        what: 'What changes something is 403 unless it comes from our own pages.',
        why: 'A browser also sends its cookies with requests of other sites.',
      },
      {
        what: 'Where no identity provider is set these endpoints are 501.',
        why: 'Nobody can have a session there.',
      },
    ],
  },
  {
    id: '4.6',
    title: 'Key validation',
    says: 'A key asks about itself.',
    deviations: [{ what: 'It also tells its label.', why: 'Who has several keys sees which one answers.' }],
  },
  { id: '4.7', title: 'Gaps in payload shapes', says: 'Which bodies are left open.' },
  {
    id: '5',
    title: 'Authentication',
    says: 'A key in a header for data, nothing for what is public, a browser session for accounts; without a valid key 401.',
    deviations: [
      {
        what: 'A revoked, an expired and an unknown key are answered alike.',
        why: 'Nobody should learn whether a key ever existed.',
      },
      {
        what: 'The session is a cookie that only the browser and we can read; people sign in by OpenID Connect.',
        why: 'The form of a session is left open.',
      },
    ],
  },
  {
    id: '6',
    title: 'Events',
    says: 'A WebSocket service exists; nothing is said of its messages.',
    deviations: [
      {
        what: 'Not served yet; health calls it `off`.',
        why: 'It is the next part to be built, with a protocol of our own since none is given.',
      },
    ],
  },
  {
    id: '7',
    title: 'Errors',
    says: 'Which status stands for what: key, credits or tier, tier alone, not found, rate, and our own failures.',
    deviations: [
      {
        what: '402 `out_of_credits` where credits are charged, 402 `tier_not_allowed` on the snapshots list only, 403 for every other gate.',
        why: 'The interface declares 402 for both on that list, and 403 for tiers elsewhere.',
      },
      {
        what: '400, 405, 409 and 503 exist beside the statuses listed.',
        why: 'A wrong request, a wrong method, a reused key of a request and a store that is away are none of the listed ones.',
      },
      {
        what: 'A closed market has no live book by id either: 404.',
        why: 'Declared for the book by slug; one rule for both.',
      },
      { what: '429 may come on every endpoint with a key.', why: 'Declared on two; the rate belongs to the account.' },
    ],
  },
  {
    id: '8',
    title: 'Limits',
    says: 'Bounds of parameters, the price of a list, the rate of the pro tier, and how long lists are kept.',
    deviations: [
      {
        what: 'A limit out of range is refused, never cut to fit.',
        why: 'Who asks for 1,000 and gets 500 believes to have all.',
      },
      {
        what: 'Rates of the other tiers are 60, 1,000 and 3,000 a minute; headers tell them under two names.',
        why: 'Left open.',
      },
      {
        what: 'The free tier reaches 24 hours back; 0 hours means no bound.',
        why: 'Only the 0 of the pro tier is shown, and a tier that may see nothing would make no sense.',
      },
    ],
  },
  {
    id: '9',
    title: 'Versioning',
    says: 'Version 1.0.0; most addresses begin with /v1, a few with /api.',
    deviations: [
      { what: 'What is to go is announced a year before by `Deprecation` and `Sunset`.', why: 'Left open.' },
    ],
  },
  {
    id: 'added',
    title: 'Beyond the interface',
    says: 'What we add keeps to the same rules: one gate, one form of errors, the same words.',
    deviations: [
      {
        what: 'Parquet, gaps, bars, trades, as-of, execution prices, hour files, limits of a key, liveness and readiness are added.',
        why: 'Nothing of the interface changes by them.',
      },
    ],
  },
]
