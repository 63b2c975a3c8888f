/** Starts a stack, prints its folder, and waits to be killed. */
import { startStack } from '../src/start-stack.ts'

const stack = await startStack()
process.stdout.write(`${JSON.stringify({ dir: stack.dir, record: stack.record })}\n`)
setInterval(() => {}, 2 ** 30)
