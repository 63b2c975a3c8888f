import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the longest first. Without them vitest starts with the largest files, because a new
 * checkout knows no durations; a long file that starts last keeps one worker busy while the other has nothing to do.
 */
export const LONGEST = [
  'test/pages.test.ts',
  'service/test/conformance/conformance.test.ts',
  'service/test/gateway/access-ends.test.ts',
  'cli/test/commands.test.ts',
  'service/test/mcp/tools.test.ts',
  'service/test/upgrade/rolling-upgrade.test.ts',
  'service/test/markets/follow-changes.test.ts',
  'service/test/http/stores-away.test.ts',
  'cli/test/download.test.ts',
  'service/test/account/browser.test.ts',
  'service/test/faults/full-disk.test.ts',
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
