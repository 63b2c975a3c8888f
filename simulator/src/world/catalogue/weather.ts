import { dateSlug, dateText, newYorkTime } from '../new-york.ts'
import { buckets } from './buckets.ts'
import { DAY_MS, type EventDraft, type Occasion, type SeriesFacts, slugify, type Tag, YES_NO } from './draft.ts'

interface City {
  name: string
  slug: string
  seriesId: string
  /** Degrees of a usual day's maximum; 2 °F or 1 °C wide buckets stand around it. */
  usualHigh: number
  unit: 'F' | 'C'
}

const CITIES: readonly City[] = [
  { name: 'NYC', slug: 'nyc', seriesId: '10005', usualHigh: 52, unit: 'F' },
  { name: 'London', slug: 'london', seriesId: '10006', usualHigh: 11, unit: 'C' },
  { name: 'Atlanta', slug: 'atlanta', seriesId: '10739', usualHigh: 62, unit: 'F' },
  { name: 'Dallas', slug: 'dallas', seriesId: '10727', usualHigh: 66, unit: 'F' },
  { name: 'Shanghai', slug: 'shanghai', seriesId: '10741', usualHigh: 17, unit: 'C' },
  { name: 'Buenos Aires', slug: 'buenos-aires', seriesId: '10744', usualHigh: 25, unit: 'C' },
]

const WEATHER_TAG: Tag = { id: '84', label: 'Weather', slug: 'weather' }
const DAILY_TAGS: readonly Tag[] = [
  WEATHER_TAG,
  { id: '103040', label: 'Daily Temperature', slug: 'daily-temperature' },
  { id: '103037', label: 'Temperature', slug: 'temperature' },
]
const STORM_NAMES = ['Nadia', 'Omar', 'Paula', 'Rafael', 'Sonia', 'Tobias']

export function weatherEvents(occasion: Occasion): EventDraft[] {
  const city = CITIES[occasion.round % CITIES.length]
  if (city === undefined) return []
  return [
    dailyEvent('highest', city, occasion),
    dailyEvent('lowest', city, occasion),
    stormEvent(occasion),
    winterEvent(city, occasion),
  ]
}

function citySeries(city: City): SeriesFacts {
  return {
    id: city.seriesId,
    slug: `${city.slug}-daily-weather`,
    title: `${city.name} Daily Weather`,
    recurrence: 'daily',
  }
}

function dailyEvent(extreme: 'highest' | 'lowest', city: City, { firstDayMs, round, draw }: Occasion): EventDraft {
  const endMs = firstDayMs + (2 + round) * DAY_MS + 12 * 3_600_000
  const date = newYorkTime(endMs)
  const slug = `${extreme}-temperature-in-${city.slug}-on-${dateSlug(date)}`
  const middle = city.usualHigh - (extreme === 'lowest' ? 9 : 0) + draw.whole(-3, 3)
  const width = city.unit === 'F' ? 2 : 1
  const sign = `°${city.unit}`
  const inner = Array.from({ length: 5 }, (_, index) => {
    const from = middle + (index - 2) * width
    return width === 1 ? `${from}${sign}` : `${from}-${from + 1}${sign}`
  })
  const labels = [`${middle - 2 * width - 1}${sign} or below`, ...inner, `${middle + 3 * width}${sign} or higher`]
  return {
    slug,
    title: `${extreme === 'highest' ? 'Highest' : 'Lowest'} temperature in ${city.name} on ${dateText(date)}?`,
    description: `About the ${extreme} temperature that the station of ${city.name} reports for ${dateText(date)}, in whole degrees ${sign}.`,
    resolutionSource: 'https://www.wunderground.com/history/daily',
    series: citySeries(city),
    tags: [
      ...DAILY_TAGS,
      {
        id: extreme === 'highest' ? '103235' : '104210',
        label: `${extreme} temperature`,
        slug: `${extreme}-temperature`,
      },
    ],
    negRisk: true,
    endMs,
    markets: buckets(
      slug,
      labels,
      (label) => `Will the ${extreme} temperature in ${city.name} be ${label} on ${dateText(date)}?`,
      draw,
    ),
  }
}

function stormEvent({ firstDayMs, round }: Occasion): EventDraft {
  const storm = `${STORM_NAMES[round % STORM_NAMES.length]}${round < STORM_NAMES.length ? '' : ` ${round}`}`
  const title = `Will Hurricane ${storm} make landfall in the US?`
  const slug = slugify(title)
  return {
    slug,
    title,
    description: `Resolves to "Yes" if the National Hurricane Center reports a landfall of ${storm} at hurricane strength in the United States.`,
    resolutionSource: 'https://www.nhc.noaa.gov/',
    tags: [WEATHER_TAG, { id: '85', label: 'Hurricanes', slug: 'hurricanes' }],
    negRisk: false,
    endMs: firstDayMs + (9 + round) * DAY_MS,
    markets: [{ slug, question: title, outcomes: YES_NO }],
  }
}

function winterEvent(city: City, { firstDayMs, round, draw }: Occasion): EventDraft {
  const year = new Date(firstDayMs + 60 * DAY_MS).getUTCFullYear() + Math.floor(round / CITIES.length)
  const title = `How much snow in ${city.name} this winter (${year})?`
  const slug = slugify(title)
  return {
    slug,
    title,
    description: `About the snow that falls in ${city.name} between December 1 and March 1, as the weather service adds it up.`,
    resolutionSource: 'https://www.weather.gov/',
    tags: [WEATHER_TAG, { id: '103511', label: 'Winter', slug: 'winter' }],
    negRisk: true,
    endMs: Date.UTC(year, 2, 1),
    markets: buckets(
      slug,
      ['under 5 in', '5-15 in', '15-30 in', '30+ in'],
      (label) => `Will ${city.name} get ${label} of snow this winter?`,
      draw,
    ),
  }
}
