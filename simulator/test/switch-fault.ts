import type { FaultOrder } from '../src/faults/switchboard.ts'
import type { Simulator } from '../src/simulator.ts'

/** Switches a fault on over the admin endpoint, as a test in another process would. */
export async function switchOn({ addresses }: Simulator, order: FaultOrder): Promise<string> {
  const answer = await fetch(`${addresses.admin}/faults`, {
    method: 'POST',
    body: JSON.stringify(order),
    headers: { 'content-type': 'application/json' },
  })
  if (answer.status !== 201) throw new Error(await answer.text())
  return ((await answer.json()) as { id: string }).id
}

export async function switchOff({ addresses }: Simulator, id: string): Promise<void> {
  const answer = await fetch(`${addresses.admin}/faults/${id}`, { method: 'DELETE' })
  if (answer.status !== 204) throw new Error(await answer.text())
}

interface Deed {
  fault: string
  faultId: string
  atMs: number
  connection?: string
  market?: string
  detail?: string
}

export async function deedsOf({ addresses }: Simulator, fault: string): Promise<Deed[]> {
  const { deeds } = (await (await fetch(`${addresses.admin}/oracle`)).json()) as { deeds: Deed[] }
  return deeds.filter((deed) => deed.fault === fault)
}

export async function connectionsOf({ addresses }: Simulator): Promise<string[]> {
  const connections = (await (await fetch(`${addresses.admin}/connections`)).json()) as { id: string }[]
  return connections.map(({ id }) => id)
}
