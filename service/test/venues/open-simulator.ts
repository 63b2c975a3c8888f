import type { FaultOrder } from '@bookreel/simulator/faults/switchboard'
import { type Simulator, type SimulatorOptions, startSimulator } from '@bookreel/simulator/simulator'
import { usualSize } from '@bookreel/simulator/world/roster'
import { onTestFinished } from 'vitest'

/** Starts a simulator on a free port; it stops when the test ends. */
export async function openSimulator(given: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({
    seed: 'test',
    startMs: Date.parse('2026-11-15T02:21:00Z'),
    size: usualSize(60),
    speed: 1,
    port: 0,
    faults: [],
    ...given,
  })
  onTestFinished(() => simulator.stop())
  return simulator
}

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

/** Polls until the condition holds, with a limit. */
export async function until(what: string, isSo: () => boolean, limitMs = 60_000): Promise<void> {
  const deadlineMs = performance.now() + limitMs
  while (!isSo()) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${limitMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
