import type { UnitCosts } from './unit-costs.ts'

export interface Installation {
  readonly title: string
  readonly markets: number
  readonly clients: number
  readonly requestsPerSecond: number
  readonly recorders: number
  /** Recorders that follow each market beside the one that records it. */
  readonly standbys: number
  readonly busReplicas: number
  readonly archiveCopies: number
  readonly coresEach: number
}

export interface Needs {
  readonly rowsPerSecond: number
  readonly cores: Readonly<Record<'recorders' | 'bus' | 'archive' | 'newest rows' | 'requests' | 'streams', number>>
  readonly coresTotal: number
  readonly machines: number
  readonly memoryGb: number
  readonly diskTbPerMonth: number
  readonly venueMbitPerSecond: number
  readonly busMbitPerSecond: number
  readonly egressMbitPerSecond: number
}

export const INSTALLATIONS: readonly Installation[] = [
  {
    title: '2,000 markets',
    markets: 2_000,
    clients: 100,
    requestsPerSecond: 100,
    recorders: 1,
    standbys: 0,
    busReplicas: 1,
    archiveCopies: 1,
    coresEach: 16,
  },
  {
    title: '20,000 markets',
    markets: 20_000,
    clients: 1_000,
    requestsPerSecond: 1_000,
    recorders: 12,
    standbys: 1,
    busReplicas: 3,
    archiveCopies: 2,
    coresEach: 16,
  },
  {
    title: '100,000 markets',
    markets: 100_000,
    clients: 10_000,
    requestsPerSecond: 50_000,
    recorders: 64,
    standbys: 1,
    busReplicas: 3,
    archiveCopies: 2,
    coresEach: 32,
  },
]

/** Ten markets at four rows a second. */
export const FRAMES_PER_CLIENT_SECOND = 40
/** Cores are planned to be busy for at most this share of the time. */
export const BUSY_SHARE = 0.5
/** Of memory that engines need, in GB for each copy. */
export const ENGINE_GB = 8
/** Clients of one gateway, and requests a second of one API process. */
export const CLIENTS_PER_GATEWAY = 1_000
export const REQUESTS_PER_API = 2_000
const MONTH_S = 30 * 86_400
const BITS = 8 / 1e6

export function needsOf(costs: UnitCosts, wanted: Installation): Needs {
  const rowsPerSecond = wanted.markets * costs.rowsPerMarketSecond
  const framesPerSecond = wanted.markets * costs.framesPerMarketSecond
  const followed = 1 + wanted.standbys
  const clientFrames = wanted.clients * FRAMES_PER_CLIENT_SECOND
  const { recorder, serving } = costs
  const following = rowsPerSecond * recorder.rowS + framesPerSecond * recorder.frameS
  const cores = {
    recorders: wanted.recorders * recorder.fixedCores + followed * following,
    bus: rowsPerSecond * costs.busRow.cpuS * wanted.busReplicas,
    archive: rowsPerSecond * costs.archivedRow.cpuS * wanted.archiveCopies,
    'newest rows': rowsPerSecond * costs.hotRow.cpuS,
    requests: wanted.requestsPerSecond * serving.liveBook.cpuS,
    streams: clientFrames * serving.streamFrame.cpuS,
  }
  const coresTotal = Object.values(cores).reduce((sum, each) => sum + each, 0)
  const egressBytes = clientFrames * serving.streamFrame.bytes + wanted.requestsPerSecond * serving.liveBook.bytes
  return {
    rowsPerSecond,
    cores,
    coresTotal,
    machines: Math.ceil(coresTotal / (wanted.coresEach * BUSY_SHARE)),
    memoryGb: memoryGbOf(costs, wanted),
    diskTbPerMonth: (rowsPerSecond * MONTH_S * costs.archivedRow.bytes * wanted.archiveCopies) / 1e12,
    venueMbitPerSecond: framesPerSecond * costs.receivedBytesPerFrame * followed * BITS,
    busMbitPerSecond: rowsPerSecond * costs.busRow.bytes * wanted.busReplicas * BITS,
    egressMbitPerSecond: egressBytes * BITS,
  }
}

function memoryGbOf({ memory }: UnitCosts, wanted: Installation): number {
  const { capture, gateway, api } = memory
  const gateways = Math.ceil(wanted.clients / CLIENTS_PER_GATEWAY)
  const apis = Math.ceil(wanted.requestsPerSecond / REQUESTS_PER_API)
  const ofAll = (count: number, { fixed, each }: { fixed: number; each: number }): number =>
    count * (Math.max(0, fixed) + Math.max(0, each) * wanted.markets)
  const recorders =
    wanted.recorders * Math.max(0, capture.fixed) + Math.max(0, capture.each) * wanted.markets * (1 + wanted.standbys)
  return (recorders + ofAll(gateways, gateway) + ofAll(apis, api)) / 1_000 + ENGINE_GB * wanted.archiveCopies
}
