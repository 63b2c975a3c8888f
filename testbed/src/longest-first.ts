import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the longest first. Without them vitest starts with the largest files, because a new
 * checkout knows no durations; a long file that starts last keeps one worker busy while the other has nothing to do.
 */
export const LONGEST = [
  'console/test/market-live.nightly.test.ts',
  'service/test/fieldcheck/polymarket.test.ts',
  'service/test/gateway/access-ends.test.ts',
  'service/test/mcp/tools.test.ts',
  'service/test/upgrade/rolling-upgrade.test.ts',
  'service/test/markets/follow-changes.test.ts',
  'service/test/http/stores-away.test.ts',
  'service/test/faults/full-disk.test.ts',
  'test/pages.test.ts',
  'console/test/whole-console.nightly.test.ts',
  'console/test/accessible.nightly.test.ts',
  'console/test/market-history.test.ts',
  'console/test/account-pages.test.ts',
  'cli/test/commands.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`))
  return place === -1 ? LONGEST.length : place
}
