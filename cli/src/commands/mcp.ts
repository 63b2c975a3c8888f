import type { Command } from 'commander'
import { withExamples } from '../examples-help.ts'
import type { Begin } from '../invocation.ts'
import { bridgeMcp } from '../mcp-bridge.ts'

export function addMcp(program: Command, begin: Begin): void {
  const command = program
    .command('mcp')
    .description('The tools of the service for an agent that speaks MCP over standard input and output')
    .action(async (_options: unknown, self: Command) => {
      const { terminal, settings, signal } = begin(self)
      await bridgeMcp({ url: `${settings.url}/mcp`, key: settings.key, signal }, terminal.stdin, (line) =>
        terminal.line(line),
      )
    })
  withExamples(
    command,
    ['mcp'],
    `For an agent's configuration:
  { "mcpServers": { "bookreel": { "command": "bookreel", "args": ["mcp"], "env": { "BOOKREEL_KEY": "…" } } } }`,
  )
}
