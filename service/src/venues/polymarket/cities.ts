/** City slugs that the venue shortens; other names follow from the slug. */
const FULL_NAMES: Readonly<Record<string, string>> = {
  nyc: 'New York',
  'new-york-city': 'New York',
  la: 'Los Angeles',
  sf: 'San Francisco',
  dc: 'Washington',
  'washington-dc': 'Washington',
  philly: 'Philadelphia',
  vegas: 'Las Vegas',
  rio: 'Rio de Janeiro',
  cdmx: 'Mexico City',
}

/** The subcategory of weather markets without a city. */
export const NO_CITY = 'Global'

/** The full name of a city: `nyc` is New York, `buenos-aires` Buenos Aires. */
export function cityName(slug: string): string {
  const known = FULL_NAMES[slug]
  if (known !== undefined && Object.hasOwn(FULL_NAMES, slug)) return known
  return slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}
