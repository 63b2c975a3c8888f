import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ESTIMATES, lastChargesQuery } from '../../data/download-queries.ts'
import { paidClient } from '../../data/paid-client.ts'
import { userTierQuery } from '../../data/queries.ts'
import { saveFile } from '../../views/save-file.ts'
import { type PlannedFile, priceOf } from './file-plan.ts'

export interface DownloadState {
  /** Place of the file that is being downloaded. */
  readonly at: number
  readonly receivedBytes: number
  readonly totalBytes: number | undefined
  readonly isRunning: boolean
  /** Hashes of the saved files, by their place. */
  readonly saved: ReadonlyMap<number, string>
  readonly error: Error | undefined
  /** A file that was free when the download began would have to be paid now, so it stopped. */
  readonly isNoLongerFree: boolean
  readonly creditsCharged: number
}

const NOTHING: DownloadState = {
  at: 0,
  receivedBytes: 0,
  totalBytes: undefined,
  isRunning: false,
  saved: new Map(),
  error: undefined,
  isNoLongerFree: false,
  creditsCharged: 0,
}

interface Download {
  readonly state: DownloadState
  readonly start: (files: readonly PlannedFile[], from: number, onSaved: (count: number) => void) => void
  readonly stop: () => void
}

/** Downloads files one after another. Each is checked against its SHA-256 before it is saved. */
export function useDownload(): Download {
  const [state, setState] = useState(NOTHING)
  const running = useRef<AbortController>(undefined)
  const client = useQueryClient()
  useEffect(() => () => running.current?.abort(), [])
  const change = (changes: Partial<DownloadState>): void => setState((before) => ({ ...before, ...changes }))
  const run = async (files: readonly PlannedFile[], from: number, onSaved: (count: number) => void): Promise<void> => {
    const { signal } = running.current ?? new AbortController()
    const startedMs = Date.now()
    for (const [place, file] of files.entries()) {
      if (place < from) continue
      // The files before it may take longer than it stays free.
      if (priceOf(file, Date.now()) > priceOf(file, startedMs)) return change({ isNoLongerFree: true })
      change({ at: place, receivedBytes: 0, totalBytes: undefined })
      const { sha256, charged } = await fetchFile(file, signal, change)
      setState((before) => ({
        ...before,
        saved: new Map(before.saved).set(place, sha256),
        creditsCharged: before.creditsCharged + charged,
      }))
      onSaved(place + 1)
    }
  }
  const start: Download['start'] = (files, from, onSaved) => {
    const controller = new AbortController()
    running.current = controller
    change({
      isRunning: true,
      error: undefined,
      isNoLongerFree: false,
      ...(from === 0 && { saved: new Map(), creditsCharged: 0 }),
    })
    run(files, from, onSaved)
      .catch((error: unknown) => {
        if (!controller.signal.aborted) change({ error: error instanceof Error ? error : new Error(String(error)) })
      })
      .finally(() => {
        change({ isRunning: false })
        for (const queryKey of [lastChargesQuery.queryKey, userTierQuery.queryKey, ESTIMATES])
          void client.invalidateQueries({ queryKey })
      })
  }
  return { state, start, stop: () => running.current?.abort() }
}

async function fetchFile(
  { market, hourMs, report }: PlannedFile,
  signal: AbortSignal,
  onChange: (changes: Partial<DownloadState>) => void,
): Promise<{ sha256: string; charged: number }> {
  let charged = 0
  const file = await paidClient(crypto.randomUUID()).history.exportHour(
    market,
    { hour: hourMs },
    {
      signal,
      onAnswer: ({ creditsCost = 0 }) => {
        charged += creditsCost
      },
      onProgress: ({ chunk, offset, totalBytes }) => onChange({ receivedBytes: offset + chunk.length, totalBytes }),
    },
  )
  const hour = new Date(hourMs).toISOString().slice(0, 13)
  saveFile(file.bytes, file.name ?? `${report.slug}-${hour}Z.parquet`)
  return { sha256: file.sha256, charged }
}
