import { type Bookreel, BookreelError, type HourReport } from '@bookreel/sdk'
import { inParallel } from './in-parallel.ts'
import { inOrder, type MarketHour } from './wanted-hours.ts'

export interface PricedHour extends MarketHour {
  readonly report: HourReport
}

/** An hour that can't be downloaded yet. */
export interface UnfinishedHour extends MarketHour {
  readonly slug: string
  /** Undefined when the service does not know it. */
  readonly availableAtMs: number | undefined
}

/** Hours that can be downloaded, and hours that cannot. */
export interface Survey {
  readonly hours: readonly PricedHour[]
  readonly notFinished: readonly UnfinishedHour[]
  readonly empty: readonly PricedHour[]
}

/** Requests rows and price of each hour with a dry run, which is free. */
export async function survey(client: Bookreel, wanted: readonly MarketHour[], parallel: number): Promise<Survey> {
  const hours: PricedHour[] = []
  const notFinished: UnfinishedHour[] = []
  const empty: PricedHour[] = []
  await inParallel(wanted, parallel, async (each, signal) => {
    try {
      const report = await client.history.exportHourDryRun(each.market, { hour: each.hourMs }, { signal })
      const found = report.rows === 0 ? empty : hours
      found.push({ ...each, report })
    } catch (error) {
      if (!(error instanceof BookreelError) || error.code !== 'hour_not_finished') throw error
      notFinished.push({ ...each, slug: textOf(error.details?.slug), availableAtMs: availableAt(error) })
    }
  })
  return { hours: hours.sort(inOrder), notFinished: notFinished.sort(inOrder), empty: empty.sort(inOrder) }
}

function availableAt({ details }: BookreelError): number | undefined {
  const atMs = Date.parse(textOf(details?.available_at))
  return Number.isNaN(atMs) ? undefined : atMs
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
