import { until } from '@bookreel/testbed/until'
import type { SimulatedService } from '../simulated-service.ts'

const WITHIN_MS = 240_000

interface Status {
  readonly status: string
  readonly incidents: readonly { readonly ended_at: string | null }[]
}

/** Stops ClickHouse until the prober has an incident, calls `during`, and waits for the end of the incident. */
export async function outage(service: SimulatedService, during: () => Promise<void>): Promise<void> {
  const clickhouse = service.stack.engine('clickhouse')
  await clickhouse.kill()
  await during()
  await until('an incident', async () => (await statusOf(service)).incidents.length > 0, waiting)
  await clickhouse.restart()
  const isOver = async (): Promise<boolean> => {
    const { status, incidents } = await statusOf(service)
    return status === 'ok' && incidents.every(({ ended_at }) => ended_at !== null)
  }
  await until('the end of the incident', isOver, waiting)
}

const waiting = { withinMs: WITHIN_MS, everyMs: 1_000 }

async function statusOf({ address }: SimulatedService): Promise<Status> {
  return (await (await fetch(`${address}/v1/status`)).json()) as Status
}
