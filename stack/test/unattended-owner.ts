/** Starts a stack as a test would, says where it is, and then waits to be killed. */
import { startStack } from '../src/start-stack.ts'

const stack = await startStack()
process.stdout.write(`${JSON.stringify({ dir: stack.dir, record: stack.record })}\n`)
setInterval(() => {}, 2 ** 30)
