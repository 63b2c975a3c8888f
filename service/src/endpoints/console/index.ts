import type { Endpoint } from '../endpoint.ts'
import { operatorEndpoints } from '../operator/index.ts'
import { changeConsoleBudget } from './change-console-budget.ts'
import { createStreamTicket } from './create-stream-ticket.ts'
import { getConsoleBudget } from './get-console-budget.ts'

/** For the pages of the console alone, below `/app/api`; they are not part of the public interface. */
export const consoleEndpoints: readonly Endpoint[] = [
  getConsoleBudget,
  changeConsoleBudget,
  createStreamTicket,
  ...operatorEndpoints,
]
