import type { Status } from '@bookreel/sdk'
import type { ReactNode } from 'react'
import { STATE_WORDS } from '../words/status-texts.ts'
import { Badge, type Tone } from './badge.tsx'

type State = Status['services'][number]['status']

const TONES: Readonly<Record<State, Tone>> = { ok: 'good', degraded: 'warn', down: 'bad', off: 'quiet' }

/** The state of a part of the service. */
export function StateBadge({ of: state }: { readonly of: State }): ReactNode {
  return <Badge tone={TONES[state]}>{STATE_WORDS[state]}</Badge>
}
