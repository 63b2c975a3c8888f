import { type Bookreel, BookreelError, type HourReport } from '@bookreel/sdk'
import { inParallel } from './in-parallel.ts'
import { inOrder, type MarketHour } from './wanted-hours.ts'

export interface PricedHour extends MarketHour {
  readonly report: HourReport
}

/** Hours that can be downloaded, and hours that cannot. */
export interface Survey {
  readonly hours: readonly PricedHour[]
  readonly notFinished: readonly MarketHour[]
  readonly empty: readonly MarketHour[]
}

/** Requests rows and price of each hour with a dry run, which is free. */
export async function survey(client: Bookreel, wanted: readonly MarketHour[], parallel: number): Promise<Survey> {
  const hours: PricedHour[] = []
  const notFinished: MarketHour[] = []
  const empty: MarketHour[] = []
  await inParallel(wanted, parallel, async (each, signal) => {
    const report = await client.history
      .exportHourDryRun(each.market, { hour: each.hourMs }, { signal })
      .catch((error: unknown) => {
        if (error instanceof BookreelError && error.code === 'hour_not_finished') return undefined
        throw error
      })
    if (report === undefined) notFinished.push(each)
    else if (report.rows === 0) empty.push(each)
    else hours.push({ ...each, report })
  })
  return { hours: hours.sort(inOrder), notFinished: notFinished.sort(inOrder), empty: empty.sort(inOrder) }
}
