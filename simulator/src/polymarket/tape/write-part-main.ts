import { parentPort, workerData } from 'node:worker_threads'
import { type PartOrder, writePart } from './write-part.ts'

writePart(workerData as PartOrder, (block) => parentPort?.postMessage(block, [block.buffer]))
