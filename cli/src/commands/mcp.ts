import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { bridgeMcp } from '../mcp-bridge.ts'
import { isInstalled } from '../program-name.ts'

export function addMcp(program: Command, begin: Begin): void {
  const command = program
    .command('mcp')
    .description('Run an MCP server on standard input and output that forwards to the service')
    .action(async (_options: unknown, self: Command) => {
      const { terminal, settings, signal } = begin(self)
      await bridgeMcp({ url: `${settings.url}/mcp`, key: settings.key, signal }, terminal.stdin, (line) =>
        terminal.line(line),
      )
    })
  withExamples(
    command,
    ['mcp'],
    `Standard output has only messages of the protocol. Configuration of an MCP client:
  ${JSON.stringify({ mcpServers: { bookreel: { ...startOf(program), env: { BOOKREEL_URL: '…', BOOKREEL_KEY: '…' } } } })}`,
  )
}

/** How a client starts this command, from any folder. Without `--silent` npm prints to standard output. */
function startOf(program: Command): { command: string; args: string[] } {
  if (isInstalled(program)) return { command: 'bookreel', args: ['mcp'] }
  const checkout = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
  return { command: 'npm', args: ['--prefix', checkout, 'run', '--silent', 'cli', '--', 'mcp'] }
}
