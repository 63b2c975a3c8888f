import { createHash } from 'node:crypto'
import type { Bookreel } from '@bookreel/sdk'
import { Progress } from '../render/progress.ts'
import { HourFile } from './hour-file.ts'
import { inParallel } from './in-parallel.ts'
import { entryOf, type ManifestEntry } from './manifest.ts'
import type { MarketFolders } from './market-folders.ts'
import type { PricedHour } from './survey.ts'

export interface PlacedHour extends PricedHour {
  readonly file: HourFile
  /** Set when the file is complete and matches the file of the service. */
  entry: ManifestEntry | undefined
}

/** Checks which files the folder already has. A file whose hash differs from the service's is downloaded again. */
export function placeHours(folder: string, folders: MarketFolders, hours: readonly PricedHour[]): PlacedHour[] {
  return hours.map((hour) => {
    const file = new HourFile(folder, folders.of(hour.market, hour.report.slug), hour, hour.report.revision)
    const bytes = file.read()
    const isGood = bytes !== undefined && (hour.report.sha256 === null || hour.report.sha256 === sha256Of(bytes))
    return { ...hour, file, entry: isGood ? entryOf(file.name, bytes, hour.report) : undefined }
  })
}

export function progressOf(hours: readonly PlacedHour[], nowMs: number): Progress {
  const sum = (some: readonly PlacedHour[]) => ({
    hours: some.length,
    rows: some.reduce((rows, { report }) => rows + report.rows, 0),
  })
  return new Progress(sum(hours), sum(hours.filter(({ entry }) => entry !== undefined)), nowMs)
}

export interface FetchHoursOptions {
  readonly parallel: number
  readonly progress: Progress
  readonly onFile: (hour: PlacedHour, entry: ManifestEntry) => void
  readonly onPaid: (credits: number) => void
}

/** Downloads the hours that are not complete. */
export async function fetchHours(
  client: Bookreel,
  hours: readonly PlacedHour[],
  { parallel, progress, onFile, onPaid }: FetchHoursOptions,
): Promise<void> {
  const missing = hours.filter(({ entry }) => entry === undefined)
  await inParallel(missing, parallel, async (hour, signal) => {
    const { file, report } = hour
    await file.fetch(client, {
      signal,
      onAnswer: ({ creditsCost = 0 }) => onPaid(creditsCost),
      onProgress: ({ chunk, offset, totalBytes }) => {
        const share = totalBytes === undefined ? 0 : (offset + chunk.length) / totalBytes
        progress.received(file.name, chunk.length, report.rows, share)
      },
    })
    const bytes = file.read()
    if (bytes === undefined)
      throw new Error(`${file.name} disappeared while it was being written. Is another download using this folder?`)
    hour.entry = entryOf(file.name, bytes, report)
    progress.finished(file.name, report.rows)
    onFile(hour, hour.entry)
  })
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
