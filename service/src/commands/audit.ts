import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { openDatabase } from '../stores/engines/postgres-database.ts'
import { AUDIT_CHECKS, type AuditFinding, runCheck } from '../stores/platform/audit-checks.ts'
import { withExamples } from './help-examples.ts'
import type { OperatorTools } from './operator.ts'

export interface AuditReport {
  /** True when no check differs; notes are ignored. */
  readonly isClean: boolean
  readonly checks: readonly {
    readonly name: string
    readonly rule: string
    readonly outcome: 'holds' | 'differs' | 'note'
    readonly findings: readonly AuditFinding[]
  }[]
}

/** Summing a large ledger is slow. */
const POSTGRES_ANSWERS_WITHIN_MS = 600_000
const MOST_SHOWN = 20

export function addAuditCommand(program: Command, { readConfig, print }: OperatorTools): void {
  const command = program
    .command('audit')
    .description('check that credits, keys and events are consistent; exit code 1 when they are not')
    .option('--json', 'print the report as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const report = await audit(await readConfig())
      print(json ? JSON.stringify(report) : auditTable(report))
      if (!report.isClean) process.exitCode = 1
    })
  withExamples(command, 'audit', 'audit --json')
}

/** Checks in PostgreSQL that credits, keys and events are consistent. Only reads. */
export async function audit({ DATABASE_URL: url }: Pick<Config, 'DATABASE_URL'>): Promise<AuditReport> {
  const database = openDatabase({ url, maxConnections: 1, answerWithinMs: POSTGRES_ANSWERS_WITHIN_MS })
  try {
    const checks: AuditReport['checks'][number][] = []
    for (const check of AUDIT_CHECKS) {
      const findings = await runCheck(database, check)
      const outcome = findings.length === 0 ? 'holds' : check.isNote ? 'note' : 'differs'
      checks.push({ name: check.name, rule: check.rule, outcome, findings })
    }
    return { isClean: checks.every(({ outcome }) => outcome !== 'differs'), checks }
  } finally {
    await database.destroy()
  }
}

export function auditTable({ checks, isClean }: AuditReport): string {
  const lines = checks.flatMap(({ name, rule, outcome, findings }) => {
    const shown = findings.slice(0, MOST_SHOWN).map(({ subject, detail }) => `    ${subject}  ${detail}`)
    const rest = findings.length > shown.length ? [`    and ${findings.length - shown.length} more`] : []
    return [`${name.padEnd(10)}${outcome.padEnd(9)}${String(findings.length).padStart(6)}  ${rule}`, ...shown, ...rest]
  })
  return [...lines, isClean ? 'All checks passed.' : 'Some checks failed.'].join('\n')
}
