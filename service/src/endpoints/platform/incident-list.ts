import type { Incident } from '../../domain/incident.ts'
import { PROBED_SERVICES, type ProbedService } from '../../domain/probe.ts'
import type { ServiceUptime } from '../../domain/uptime.ts'

export interface ServiceIncident extends Incident {
  readonly service: ProbedService
}

/** Incidents of all services, newest first. */
export function incidentList(
  measured: Readonly<Record<string, Pick<ServiceUptime, 'incidents'>>>,
  most: number,
): ServiceIncident[] {
  return PROBED_SERVICES.flatMap((service) =>
    (measured[service]?.incidents ?? []).map((incident) => ({ service, ...incident })),
  )
    .toSorted((one, other) => other.startedAtMs - one.startedAtMs)
    .slice(0, most)
}
