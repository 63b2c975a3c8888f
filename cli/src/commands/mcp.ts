import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { bridgeMcp } from '../mcp-bridge.ts'

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
    `Configuration of an MCP client:
  { "mcpServers": { "bookreel": { "command": "bookreel", "args": ["mcp"], "env": { "BOOKREEL_KEY": "…" } } } }`,
  )
}
