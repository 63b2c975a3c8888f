import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { sendError } from '../http/send-error.ts'
import type { McpOptions } from '../mcp/add-mcp.ts'
import type { PipelineDeps } from '../pipeline/answer.ts'

/** The MCP options that follow from the configuration. */
export function openMcp({ MCP_ALLOWED_HOSTS, PUBLIC_URL }: Config, pipeline: PipelineDeps, log: Logger): McpOptions {
  return {
    pipeline,
    allowedHosts: [...MCP_ALLOWED_HOSTS, ...(PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).hostname])],
    onDefect: (error, requestId) => log.error({ requestId, err: error }, 'MCP tool failed'),
    sendError: (error, request, reply) => sendError(log, error, request, reply),
  }
}
