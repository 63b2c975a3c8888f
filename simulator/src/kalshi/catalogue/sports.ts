import { fixedNumber, seedOf } from '../../world/random.ts'
import { type DraftContext, type EventDraft, type MarketDraft, type Series, SLOW_SETTLEMENT } from './draft.ts'
import { clockCode, daily, dayCode } from './schedules.ts'

interface League {
  code: string
  name: string
  sport: string
  /** Hour in New York at which its games begin. */
  startHour: number
  isDrawPossible: boolean
  exchangeIndex: number
  teams: readonly (readonly [code: string, name: string])[]
}

const HOUR_MS = 3_600_000
const GAME_HOURS = 3
/** Until a game is over, its close is listed two days after its end. */
const SHOWN_CLOSE_AFTER_MS = 48 * HOUR_MS

const LEAGUES: readonly League[] = [
  league('NFL', 'NFL', 'Football', 13, ['KC', 'BUF', 'PHI', 'DET', 'SF', 'DAL']),
  league('MLB', 'MLB', 'Baseball', 19, ['TB', 'NYY', 'WSH', 'LAD', 'CHC', 'BOS'], { exchangeIndex: 3 }),
  league('NBA', 'NBA', 'Basketball', 20, ['BOS', 'LAL', 'NYK', 'DEN', 'MIL', 'OKC'], { exchangeIndex: 3 }),
  league('NHL', 'NHL', 'Hockey', 18, ['COL', 'EDM', 'FLA', 'VGK', 'TOR', 'NYR']),
  league('EPL', 'Premier League', 'Soccer', 10, ['ARS', 'LFC', 'MCI', 'CFC', 'TOT', 'NEW'], { isDrawPossible: true }),
  league('LALIGA', 'La Liga', 'Soccer', 15, ['BAR', 'RMA', 'ATM', 'SEV', 'VAL'], { isDrawPossible: true }),
  league('UCL', 'Champions League', 'Soccer', 14, ['BAY', 'PSG', 'INT', 'BVB', 'JUV'], { isDrawPossible: true }),
  league('IPL', 'IPL', 'Cricket', 9, ['MI', 'CSK', 'RCB', 'KKR', 'GT']),
]

function league(
  code: string,
  name: string,
  sport: string,
  startHour: number,
  teams: readonly string[],
  { isDrawPossible = false, exchangeIndex = 0 }: { isDrawPossible?: boolean; exchangeIndex?: number } = {},
): League {
  const named = teams.map((team): [string, string] => [team, `${name} ${team}`])
  return { code, name, sport, startHour, isDrawPossible, exchangeIndex, teams: named }
}

/** One game a day of each league, with a market for each outcome. */
export const SPORTS_SERIES: readonly Series[] = LEAGUES.map((each) => ({
  facts: {
    ticker: `KX${each.code}GAME`,
    title: `${each.name} game`,
    category: 'Sports',
    tags: [each.sport, each.name],
    frequency: 'custom',
    source: { name: each.name, url: `https://www.${each.code.toLowerCase()}.com/` },
    exchangeIndex: each.exchangeIndex,
  },
  grid: 'linear_cent',
  schedule: daily(each.startHour + GAME_HOURS),
  marketsPerEvent: each.isDrawPossible ? 3 : 2,
  ...SLOW_SETTLEMENT,
  draft: (day, context) => gameDraft(each, day, context),
}))

/** Combinations of several games; the real venue has far more of them than of all other markets. */
export const COMBO_SERIES: Series = {
  facts: {
    ticker: 'KXMVESPORTSMULTIGAME',
    title: 'Several games',
    category: 'Sports',
    tags: [],
    frequency: 'custom',
    source: { name: 'Leagues', url: 'https://kalshi.com/' },
    exchangeIndex: 1,
  },
  grid: 'linear_cent',
  schedule: daily(23),
  marketsPerEvent: 3,
  ...SLOW_SETTLEMENT,
  isCombo: true,
  draft: (day, { closeMs }) => ({
    ticker: `KXMVESPORTSMULTIGAME-S${day}`,
    title: 'Combination of games',
    subTitle: `On ${dayCode(closeMs)}`,
    isExclusive: false,
    markets: [0.3, 0.2, 0.1].map((usualPrice, rank) => ({
      suffix: `C${rank + 1}`,
      title: 'Combination of games',
      yesSubTitle: `yes combination ${rank + 1}`,
      rules: 'If every part of the combination resolves to Yes, then the market resolves to Yes.',
      strikeType: 'custom',
      usualPrice,
    })),
  }),
}

function gameDraft(of: League, day: number, { seed, closeMs }: DraftContext): EventDraft {
  const startMs = closeMs - GAME_HOURS * HOUR_MS
  const number = (what: string): number => fixedNumber(seedOf(seed, 'game', of.code, what), day)
  const awayRank = Math.floor(number('away') * of.teams.length)
  const homeRank = (awayRank + 1 + Math.floor(number('home') * (of.teams.length - 1))) % of.teams.length
  const [away, home] = [of.teams[awayRank], of.teams[homeRank]]
  if (away === undefined || home === undefined) throw new Error(`league ${of.code} has too few teams`)
  const draw = of.isDrawPossible ? 0.26 : 0
  const homeShare = (0.3 + 0.4 * number('strength')) * (1 - draw)
  const outcomes: [code: string, name: string, share: number][] = [
    [away[0], away[1], 1 - draw - homeShare],
    [home[0], home[1], homeShare],
    ...(of.isDrawPossible ? [['TIE', 'Tie', draw] as [string, string, number]] : []),
  ]
  const title = `${away[1]} at ${home[1]} Winner?`
  return {
    ticker: `KX${of.code}GAME-${dayCode(startMs)}${clockCode(startMs)}${away[0]}${home[0]}`,
    title,
    subTitle: `${away[0]} at ${home[0]}`,
    isExclusive: true,
    startMs,
    shownCloseMs: closeMs + SHOWN_CLOSE_AFTER_MS,
    markets: outcomes.map(
      ([code, name, share]): MarketDraft => ({
        suffix: code,
        title,
        yesSubTitle: name,
        rules: `If the result of the game ${away[1]} at ${home[1]} is ${name}, then the market resolves to Yes.`,
        strikeType: 'structured',
        usualPrice: share,
      }),
    ),
  }
}
