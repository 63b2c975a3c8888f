import {
  DAY_MS,
  type EventDraft,
  type MarketDraft,
  type Occasion,
  type SeriesFacts,
  slugify,
  type Tag,
  YES_NO,
} from './draft.ts'

export interface League {
  sport: string
  series: SeriesFacts
  tag: Tag
  source: string
  teams: readonly (readonly [abbreviation: string, name: string])[]
  /** A draw is possible, so a game has three Yes/No markets instead of two team names. */
  drawn: boolean
}

const SPORTS_TAG: Tag = { id: '1', label: 'Sports', slug: 'sports' }
const GAMES_TAG: Tag = { id: '100639', label: 'Games', slug: 'games' }

export const LEAGUES: readonly League[] = [
  {
    sport: 'nba',
    series: { id: '10345', slug: 'nba-2026', title: 'NBA 2026', recurrence: 'daily' },
    tag: { id: '745', label: 'NBA', slug: 'nba' },
    source: 'https://www.nba.com/',
    teams: [
      ['bos', 'Celtics'],
      ['lal', 'Lakers'],
      ['nyk', 'Knicks'],
      ['gsw', 'Warriors'],
      ['mil', 'Bucks'],
      ['den', 'Nuggets'],
      ['dal', 'Mavericks'],
      ['mia', 'Heat'],
    ],
    drawn: false,
  },
  {
    sport: 'nfl',
    series: { id: '10187', slug: 'nfl-2026', title: 'NFL 2026', recurrence: 'weekly' },
    tag: { id: '450', label: 'NFL', slug: 'nfl' },
    source: 'https://www.nfl.com/',
    teams: [
      ['sf', '49ers'],
      ['sea', 'Seahawks'],
      ['kc', 'Chiefs'],
      ['buf', 'Bills'],
      ['phi', 'Eagles'],
      ['det', 'Lions'],
    ],
    drawn: false,
  },
  {
    sport: 'epl',
    series: { id: '10188', slug: 'premier-league-2026', title: 'Premier League 2026', recurrence: 'weekly' },
    tag: { id: '82', label: 'EPL', slug: 'epl' },
    source: 'https://www.premierleague.com/',
    teams: [
      ['ars', 'Arsenal'],
      ['liv', 'Liverpool'],
      ['mci', 'Manchester City'],
      ['che', 'Chelsea'],
      ['tot', 'Tottenham'],
      ['new', 'Newcastle'],
    ],
    drawn: true,
  },
  {
    sport: 'fifa',
    series: { id: '10240', slug: 'fifa-world-cup', title: 'FIFA World Cup', recurrence: 'daily' },
    tag: { id: '100350', label: 'FIFA', slug: 'fifa-world-cup' },
    source: 'https://www.fifa.com/',
    teams: [
      ['bra', 'Brazil'],
      ['fra', 'France'],
      ['arg', 'Argentina'],
      ['esp', 'Spain'],
    ],
    drawn: true,
  },
  {
    sport: 'ipl',
    series: { id: '10410', slug: 'ipl-2026', title: 'IPL 2026', recurrence: 'daily' },
    tag: { id: '101977', label: 'IPL', slug: 'ipl' },
    source: 'https://www.iplt20.com/',
    teams: [
      ['mi', 'Mumbai Indians'],
      ['csk', 'Chennai Super Kings'],
      ['rcb', 'Royal Challengers Bengaluru'],
      ['kkr', 'Kolkata Knight Riders'],
    ],
    drawn: false,
  },
]

/** One game of each league a round, each on a later day than the last. */
export function sportsEvents({ firstDayMs, round, draw }: Occasion): EventDraft[] {
  return LEAGUES.map((league, leagueRank) => {
    const away = draw.pick(league.teams)
    const home = draw.pick(league.teams.filter((team) => team !== away))
    const startMs = firstDayMs + (2 + round) * DAY_MS + (17 + leagueRank) * 3_600_000
    const day = new Date(startMs).toISOString().slice(0, 10)
    const slug = `${league.sport}-${away[0]}-${home[0]}-${day}`
    const gameId = String(20_000_000 + round * 100 + leagueRank)
    return {
      slug,
      title: `${away[1]} vs. ${home[1]}`,
      description: `About the game ${away[1]} against ${home[1]}, planned for ${day}. If it is put off, the market stays open until it has been played; if it is called off for good, it resolves 50-50.`,
      resolutionSource: league.source,
      series: league.series,
      tags: [SPORTS_TAG, league.tag, GAMES_TAG],
      negRisk: league.drawn,
      startMs,
      endMs: startMs + 3 * 3_600_000,
      markets: league.drawn
        ? threeWayMarkets(slug, away[1], home[1], day, gameId)
        : gameMarkets(slug, away[1], home[1], gameId, draw.whole(1, 9)),
    }
  })
}

function gameMarkets(slug: string, away: string, home: string, gameId: string, handicap: number): MarketDraft[] {
  const line = handicap + 0.5
  const total = 40.5 + handicap * 20
  const pointText = (points: number): string => `${Math.floor(points)}pt5`
  return [
    { slug, question: `${away} vs. ${home}`, outcomes: [away, home], sports: { marketType: 'moneyline', gameId } },
    {
      slug: `${slug}-spread-home-${pointText(line)}`,
      question: `Spread: ${home} (-${line})`,
      outcomes: [home, away],
      groupItemTitle: `Spread -${line}`,
      sports: { marketType: 'spreads', gameId, line: -line },
    },
    {
      slug: `${slug}-total-${pointText(total)}`,
      question: `${away} vs. ${home}: O/U ${total}`,
      outcomes: ['Over', 'Under'],
      groupItemTitle: `O/U ${total}`,
      sports: { marketType: 'totals', gameId, line: total },
    },
  ]
}

/** The sibling of a soccer game's event that holds all but the result; undefined for other events. */
export function moreMarketsOf(game: EventDraft): EventDraft | undefined {
  const gameId = game.markets[0]?.sports?.gameId
  if (!game.negRisk || gameId === undefined) return undefined
  const slug = `${game.slug}-more-markets`
  const [away = '', home = ''] = game.title.split(' vs. ')
  return {
    ...game,
    slug,
    title: `${game.title} - More Markets`,
    negRisk: false,
    isHidden: true,
    markets: [
      {
        slug: `${game.slug}-spread-home-1pt5`,
        question: `Spread: ${home} (-1.5)`,
        outcomes: [home, away],
        groupItemTitle: 'Spread -1.5',
        sports: { marketType: 'spreads', gameId, line: -1.5 },
      },
      {
        slug: `${game.slug}-total-2pt5`,
        question: `${game.title}: O/U 2.5`,
        outcomes: ['Over', 'Under'],
        groupItemTitle: 'O/U 2.5',
        sports: { marketType: 'totals', gameId, line: 2.5 },
      },
      {
        slug: `${game.slug}-btts`,
        question: `${game.title}: Both Teams to Score`,
        outcomes: YES_NO,
        groupItemTitle: 'Both Teams to Score',
        sports: { marketType: 'both_teams_to_score', gameId },
      },
    ],
  }
}

function threeWayMarkets(slug: string, away: string, home: string, day: string, gameId: string): MarketDraft[] {
  const results = [
    [`Will ${home} win on ${day}?`, home, 0.42],
    [`Will ${home} vs. ${away} end in a draw?`, 'Draw', 0.26],
    [`Will ${away} win on ${day}?`, away, 0.32],
  ] as const
  return results.map(([question, label, usualPrice]) => ({
    slug: `${slug}-${slugify(label)}`,
    question,
    outcomes: YES_NO,
    groupItemTitle: label,
    usualPrice,
    sports: { marketType: 'moneyline', gameId },
  }))
}
