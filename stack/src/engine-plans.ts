import { randomBytes } from 'node:crypto'
import { clickhouse, planClickHouse } from './engines/clickhouse.ts'
import type { ClickHousePlan } from './engines/clickhouse-config.ts'
import type { Engine, EngineKind, EngineUsers, Programs } from './engines/engine.ts'
import { type IdentityPlan, identity, planIdentity } from './engines/identity.ts'
import { type NatsPlan, nats, planNats } from './engines/nats.ts'
import { type PostgresPlan, planPostgres, postgres } from './engines/postgres.ts'
import { planRedis, type RedisPlan, redis } from './engines/redis.ts'
import type { PortClaims } from './ports.ts'

/** Plain data: enough to restart an engine on the same ports with the same passwords, or to check its health. */
export type EnginePlan = ClickHousePlan | NatsPlan | PostgresPlan | RedisPlan | IdentityPlan

export interface StackRequest {
  readonly dir: string
  readonly kinds: readonly EngineKind[]
  readonly clickhouseShards: number
  readonly redisNodes: number
  readonly programs: Programs
  readonly users?: EngineUsers | undefined
}

export async function planEngines(request: StackRequest, ports: PortClaims): Promise<EnginePlan[]> {
  const { dir, kinds, clickhouseShards, redisNodes, programs, users } = request
  const context = { dir, users, ports, programs, newPassword: () => randomBytes(16).toString('hex') }
  const plans: EnginePlan[] = []
  if (kinds.includes('clickhouse')) plans.push(...(await planClickHouse(context, clickhouseShards)))
  if (kinds.includes('nats')) plans.push(await planNats(context))
  if (kinds.includes('postgres')) plans.push(await planPostgres(context))
  if (kinds.includes('redis')) plans.push(...(await planRedis(context, redisNodes)))
  if (kinds.includes('identity')) plans.push(await planIdentity(context))
  return plans
}

export function engineOf(plan: EnginePlan): Engine {
  switch (plan.kind) {
    case 'clickhouse':
      return clickhouse(plan)
    case 'nats':
      return nats(plan)
    case 'postgres':
      return postgres(plan)
    case 'redis':
      return redis(plan)
    case 'identity':
      return identity(plan)
  }
}

export function variablesOf(plans: readonly EnginePlan[]): Record<string, string> {
  return Object.assign({}, ...plans.map((plan) => engineOf(plan).variables))
}
