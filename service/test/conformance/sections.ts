/** Where we do something else than the interface says, or it says two things and we had to choose. */
export interface Deviation {
  readonly what: string
  readonly why: string
}

/** A part of the interface in our own words. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly says: string
  readonly deviations?: readonly Deviation[]
}

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
      { what: 'Coins are captured every 250 ms; no plan is shipped with 100 ms.', why: 'The interval of a plan is configuration, 100 ms and up.' },
    ],
  },
  { id: '2.1', title: 'Category entry', says: 'An entry for each category that is recorded: what it is called, how many markets it has, how often it is captured and looked through.' },
  {
    id: '2.2',
    title: 'Live market entry',
    says: 'An entry for each market that is going on: ids, category, names of its sides and how soon it ends. Two forms of the list are described.',
    deviations: [
      { what: 'The list is a bare array with camelCase members, never wrapped.', why: 'The interface describes both; one had to be chosen, and counts fit into headers.' },
      { what: '`expiresIn` is in milliseconds, 0 for what has ended.', why: 'The unit is left open; the magnitudes shown are milliseconds.' },
      { what: 'Entries have more members: question, event, dates, timeframe, status, the venue’s names of the outcomes.', why: 'Without them each entry would need a second request.' },
      { what: 'Markets that have ended are listed only when asked for by `status`.', why: 'So that the first entry is the current window.' },
    ],
  },
  {
    id: '2.3',
    title: 'Single market',
    says: 'One market with its tokens, its end and its flags; closed ones from what is stored, forgotten ones from their rows.',
    deviations: [
      { what: 'The answer says how the market was found, and what was asked for when that was not its slug.', why: 'Who asks fuzzily must be able to see what they got.' },
      { what: 'Price 0 stands for a coin’s price that is not known.', why: 'The member is a number and may only be left out for closed markets without a coin.' },
    ],
  },
  {
    id: '2.4',
    title: 'Market orderbook',
    says: 'Both token books of a market with their figures and ladders. Two forms of a token book are described.',
    deviations: [
      { what: 'Levels are objects with price and size on live books, pairs on stored ones.', why: 'Both forms are described; each resource keeps to one.' },
      { what: 'Some names are there twice: `market_id` and `marketId`, `crypto_price` and `cryptoPrice`.', why: 'The interface lists both.' },
      { what: 'The book by slug has all members of the book by id, not only the few listed.', why: 'One shape for one thing.' },
      { what: 'Figures are always numbers: an empty bid side counts as 0, an empty ask side as 1, and a flag says so.', why: 'The venue counts so itself, and a null would break who adds up.' },
      { what: 'A book in a gap is served for a minute with `stale` and its age.', why: 'Old and said so is better than nothing; after a minute it is 404.' },
    ],
  },
  {
    id: '2.5',
    title: 'Snapshot',
    says: 'One token at one slot: times of venue and capture, figures, ladders of pairs, spot price of the coin if there is one.',
    deviations: [
      { what: '`sequence_number` is the number of the slot.', why: 'Then a jump in it is a hole, and the same for everyone; see the gaps in the answer.' },
      { what: 'Snapshots have `flags`, such as `verified`.', why: 'A book that was proved equal to the venue’s should say so.' },
    ],
  },
  {
    id: '2.6',
    title: 'Historical market list',
    says: 'Totals around a list of all markets that were recorded; counts of snapshots are text.',
    deviations: [
      { what: 'Counts are of token snapshots, two for each slot.', why: 'So that they agree with `limit` and with the rows of the snapshots list.' },
      { what: 'Without a limit everything comes at once; with one there is a cursor.', why: 'The interface knows no page here, and months of markets are many.' },
    ],
  },
  {
    id: '2.7',
    title: 'Exchange orderbook',
    says: 'The book of a perp with its figures and up to 20 levels a side as pairs.',
    deviations: [{ what: 'Beside the book stands the best bid and ask of a faster stream, never merged into it.', why: 'The venue renews the whole book more slowly than its touch.' }],
  },
  {
    id: '2.8',
    title: 'Credit packs',
    says: 'Eight packs with tier, price and credits, and an object about tiers whose members are left open.',
    deviations: [{ what: 'A tier tells rate, connections, history, MCP, keys, credits a month and categories; a pack how many months it lasts.', why: 'Left open; this is all that differs between tiers.' }],
  },
  {
    id: '2.9',
    title: 'User tier',
    says: 'What a signed-in user has: tier, credits, limits and until when.',
    deviations: [{ what: 'Not served yet.', why: 'It needs the browser session, which comes with the console. `/v1/limits` tells a key the same.' }],
  },
  {
    id: '2.10',
    title: 'Subscription',
    says: 'What a signed-in user pays for, and its limits.',
    deviations: [{ what: 'Not served yet.', why: 'It needs the browser session and the payment processor.' }],
  },
  {
    id: '2.11',
    title: 'Error object',
    says: 'Every error is one object with a code, a message and the status.',
    deviations: [{ what: '`request_id` always and `details` where they help are added.', why: 'The three members stay as they are; a program can mend its request by the details.' }],
  },
  {
    id: '2.12',
    title: 'Other records',
    says: 'The shapes of many answers are left open.',
    deviations: [{ what: 'They are those of the published document.', why: 'Names follow what is publicly known of such services where anything is, and our own words elsewhere.' }],
  },
  {
    id: '3',
    title: 'States and transitions',
    says: 'A market is active until it has expired; a key works until it is revoked.',
    deviations: [
      { what: 'A live market looked up by raw id has its true flags.', why: 'The interface tells of a defect there; we don’t copy it.' },
      { what: 'Four states are told: upcoming, live, settling, expired.', why: 'Between its end and its resolution a market is neither.' },
    ],
  },
  { id: '4.1', title: 'Public endpoints', says: 'Health, public statistics, status of ninety days and the packs, without a key.', deviations: [{ what: '`/health` is 503 when neither live books nor history can be served.', why: 'Load balancers look at the status, not at the body.' }] },
  {
    id: '4.2',
    title: 'Markets',
    says: 'Lists of categories and markets with filters, a market and its book by slug or id, a summary, and the history lists.',
    deviations: [
      { what: 'An unknown category or coin is refused; an unknown subcategory or timeframe is an empty list with a reason.', why: 'The first are closed lists of the interface; the others grow with the venue.' },
      { what: 'The category `exchange` gives an empty list.', why: 'It is a word of the interface, but no binary market has it.' },
      { what: 'Unknown and repeated parameters are 400.', why: 'A misspelt filter that is ignored answers another question.' },
      { what: '`format` is taken on every GET with a key.', why: 'More than the interface lists; the same rule everywhere.' },
      { what: 'All five lengths of window are found by coin and length, also those that the venue names otherwise.', why: 'Whoever asks for btc-updown-1h means the window, not its name.' },
      { what: 'Ties in the order of the live list are broken by id.', why: 'Pages must fit together.' },
      { what: 'Text that a spreadsheet would run as a formula is disarmed in flat files.', why: 'Questions of markets are written by strangers.' },
    ],
  },
  {
    id: '4.3',
    title: 'Snapshots',
    says: 'The stored past of a market in pages for 10 credits, the snapshot nearest to a moment, the last five, and figures of the recorder.',
    deviations: [
      { what: 'The list also has a cursor, the gaps of its range and how complete it is.', why: '“Paginated” is said without how; and no hole is silent.' },
      { what: 'Without a lower bound the newest come first.', why: 'The order is left open; who names no beginning wants the end.' },
      { what: 'The nearest snapshot must be within a minute of the moment, else 404.', why: 'Further away it is another moment.' },
      { what: 'Coins and lengths of the last-five list are not only the four each that are listed.', why: 'All that is recorded is served.' },
      { what: 'A tier that does not include the market or its age is 402 here, 403 elsewhere.', why: '402 is declared on this list only.' },
      { what: 'An empty page is a delivered answer and is charged.', why: 'That nothing is there is what was asked; a dry run tells it for nothing.' },
    ],
  },
  {
    id: '4.4',
    title: 'Exchange',
    says: 'The live book of a perp for the upper tiers, none older than 60 seconds, and its stored past.',
    deviations: [
      { what: 'Seven coins on both endpoints.', why: 'The schema lists four, the text seven; seven are recorded.' },
      { what: 'Stored books come with ladders, as a bare array, for every tier; the cursor is a header.', why: 'The shape is left open; the gate is on the live book only.' },
      { what: '`exchange` is required on the live book and may be left out on the stored ones.', why: 'As listed.' },
    ],
  },
  {
    id: '4.5',
    title: 'Account',
    says: 'Keys, tier, subscription and invoices of a signed-in user.',
    deviations: [{ what: 'Not served yet; keys are made by the operator’s command.', why: 'They need the browser session, which comes with the console and the payment processor.' }],
  },
  { id: '4.6', title: 'Key validation', says: 'A key asks about itself.', deviations: [{ what: 'It also tells its label.', why: 'Who has several keys sees which one answers.' }] },
  { id: '4.7', title: 'Gaps in payload shapes', says: 'Which bodies are left open.' },
  {
    id: '5',
    title: 'Authentication',
    says: 'A key in a header for data, nothing for what is public, a browser session for accounts; without a valid key 401.',
    deviations: [
      { what: 'A revoked, an expired and an unknown key are answered alike.', why: 'Nobody should learn whether a key ever existed.' },
      { what: 'Routes that need a browser session are not served yet.', why: 'See 4.5.' },
    ],
  },
  {
    id: '6',
    title: 'Events',
    says: 'A WebSocket service exists; nothing is said of its messages.',
    deviations: [{ what: 'Not served yet; health calls it `off`.', why: 'It is the next part to be built, with a protocol of our own since none is given.' }],
  },
  {
    id: '7',
    title: 'Errors',
    says: 'Which status stands for what: key, credits or tier, tier alone, not found, rate, and our own failures.',
    deviations: [
      { what: '402 `out_of_credits` where credits are charged, 402 `tier_not_allowed` on the snapshots list only, 403 for every other gate.', why: 'The interface declares 402 for both on that list, and 403 for tiers elsewhere.' },
      { what: '400, 405, 409 and 503 exist beside the statuses listed.', why: 'A wrong request, a wrong method, a reused key of a request and a store that is away are none of the listed ones.' },
      { what: 'A closed market has no live book by id either: 404.', why: 'Declared for the book by slug; one rule for both.' },
      { what: '429 may come on every endpoint with a key.', why: 'Declared on two; the rate belongs to the account.' },
    ],
  },
  {
    id: '8',
    title: 'Limits',
    says: 'Bounds of parameters, the price of a list, the rate of the pro tier, and how long lists are kept.',
    deviations: [
      { what: 'A limit out of range is refused, never cut to fit.', why: 'Who asks for 1,000 and gets 500 believes to have all.' },
      { what: 'Rates of the other tiers are 60, 1,000 and 3,000 a minute; headers tell them under two names.', why: 'Left open.' },
      { what: 'The free tier reaches 24 hours back; 0 hours means no bound.', why: 'Only the 0 of the pro tier is shown, and a tier that may see nothing would make no sense.' },
    ],
  },
  { id: '9', title: 'Versioning', says: 'Version 1.0.0; most addresses begin with /v1, a few with /api.', deviations: [{ what: 'What is to go is announced a year before by `Deprecation` and `Sunset`.', why: 'Left open.' }] },
  {
    id: 'added',
    title: 'Beyond the interface',
    says: 'What we add keeps to the same rules: one gate, one form of errors, the same words.',
    deviations: [{ what: 'Parquet, gaps, bars, trades, as-of, execution prices, hour files, limits of a key, liveness and readiness are added.', why: 'Nothing of the interface changes by them.' }],
  },
]
