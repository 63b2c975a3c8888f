import type { Section } from './section.ts'

/** Part 2 of the interface. */
export const RESOURCES: readonly Section[] = [
  {
    id: '2.1',
    title: 'Category entry',
    says: 'An entry for each category that is recorded: what it is called, how many markets it has, how often it is captured and looked through.',
  },
  {
    id: '2.2',
    title: 'Live market entry',
    says: 'An entry for each market that is going on: ids, category, names of its sides and how soon it ends. Two forms of the list are described.',
    deviations: [
      {
        what: 'The list is a bare array with camelCase members, never wrapped.',
        why: 'The interface describes both; one had to be chosen, and counts fit into headers.',
      },
      {
        what: '`expiresIn` is in milliseconds, 0 for what has ended.',
        why: 'The unit is left open; the magnitudes shown are milliseconds.',
      },
      {
        what: 'Entries have more members: question, event, dates, timeframe, status, the venue’s names of the outcomes.',
        why: 'Without them each entry would need a second request.',
      },
      {
        what: 'Markets that have ended are listed only when asked for by `status`.',
        why: 'So that the first entry is the current window.',
      },
    ],
  },
  {
    id: '2.3',
    title: 'Single market',
    says: 'One market with its tokens, its end and its flags; closed ones from what is stored, forgotten ones from their rows.',
    deviations: [
      {
        what: 'The answer says how the market was found, and what was asked for when that was not its slug.',
        why: 'After an inexact search the caller must see what was found.',
      },
      {
        what: 'Price 0 stands for a coin’s price that is not known.',
        why: 'The member is a number and may only be left out for closed markets without a coin.',
      },
    ],
  },
  {
    id: '2.4',
    title: 'Market orderbook',
    says: 'Both token books of a market with their figures and ladders. Two forms of a token book are described.',
    deviations: [
      {
        what: 'Levels are objects with price and size on live books, pairs on stored ones.',
        why: 'Both forms are described; each resource keeps to one.',
      },
      {
        what: 'Some names are there twice: `market_id` and `marketId`, `crypto_price` and `cryptoPrice`.',
        why: 'The interface lists both.',
      },
      {
        what: 'The book by slug has all members of the book by id, not only the few listed.',
        why: 'One shape for one thing.',
      },
      {
        what: 'Figures are always numbers: an empty bid side counts as 0, an empty ask side as 1, and a flag says so.',
        why: 'The venue counts so itself, and a null would break who adds up.',
      },
      {
        what: 'A book in a gap is served for a minute with `stale` and its age.',
        why: 'A book marked as old is more useful than none; after a minute it is 404.',
      },
    ],
  },
  {
    id: '2.5',
    title: 'Snapshot',
    says: 'One token at one slot: times of venue and capture, figures, ladders of pairs, spot price of the coin if there is one.',
    deviations: [
      {
        what: '`sequence_number` is the number of the slot.',
        why: 'Then a jump in it is a hole, and the same for everyone; see the gaps in the answer.',
      },
      {
        what: 'Snapshots have `flags`, such as `verified`.',
        why: 'A book that was proved equal to the venue’s should say so.',
      },
    ],
  },
  {
    id: '2.6',
    title: 'Historical market list',
    says: 'Totals around a list of all markets that were recorded; counts of snapshots are text.',
    deviations: [
      {
        what: 'Counts are of token snapshots, two for each slot.',
        why: 'So that they agree with `limit` and with the rows of the snapshots list.',
      },
      {
        what: 'Without a limit everything comes at once; with one there is a cursor.',
        why: 'The interface knows no page here, and months of markets are many.',
      },
    ],
  },
  {
    id: '2.7',
    title: 'Exchange orderbook',
    says: 'The book of a perp with its figures and up to 20 levels a side as pairs.',
    deviations: [
      {
        what: 'Beside the book stands the best bid and ask of a faster stream, never merged into it.',
        why: 'The venue renews the whole book more slowly than its touch.',
      },
    ],
  },
  {
    id: '2.8',
    title: 'Credit packs',
    says: 'Eight packs with tier, price and credits, and an object about tiers whose members are left open.',
    deviations: [
      {
        what: 'A tier tells rate, connections, history, MCP, keys, credits a month and categories; a pack how many months it lasts.',
        why: 'Left open; this is all that differs between tiers.',
      },
    ],
  },
  {
    id: '2.9',
    title: 'User tier',
    says: 'What a signed-in user has: tier, credits, limits and until when.',
    deviations: [
      {
        what: '`creditsTotal` is what is left and what was spent in this calendar month together.',
        why: 'Left open; bought credits count too, so that no more can be left than there were.',
      },
      {
        what: '`expiresAt` of a tier that does not end is when the month of its credits does.',
        why: 'A time is listed, and there always is one.',
      },
    ],
  },
  {
    id: '2.10',
    title: 'Subscription',
    says: 'What a signed-in user pays for, and its limits.',
    deviations: [
      {
        what: 'Without a plan the provider is `none` and the plan `free`; of a tier that an operator gave, `operator`.',
        why: 'Left open.',
      },
    ],
  },
  {
    id: '2.11',
    title: 'Error object',
    says: 'Every error is one object with a code, a message and the status.',
    deviations: [
      {
        what: '`request_id` always and `details` where they help are added.',
        why: 'The three members stay as they are; a program can mend its request by the details.',
      },
    ],
  },
  {
    id: '2.12',
    title: 'Other records',
    says: 'The shapes of many answers are left open.',
    deviations: [
      {
        what: 'They are those of the published document.',
        why: 'Names follow what is publicly known of such services where anything is, and our own words elsewhere.',
      },
    ],
  },
]
