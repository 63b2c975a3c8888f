import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StreamClient } from '../../service/test/gateway/stream-client.ts'
import { startGatewayNode } from '../src/service/gateway-node.ts'
import { TestService } from '../src/service/test-service.ts'

test('measure', async () => {
  for (let i = 0; i < 2; i++) {
    const at = (name: string, before: NodeJS.CpuUsage, t: number) => {
      const { user, system } = process.cpuUsage(before)
      console.log(name, Math.round(performance.now() - t), 'ms', (user + system) / 1e6, 'CPU s')
    }
    let [c, t] = [process.cpuUsage(), performance.now()]
    const service = await TestService.start({ world: 'moving' })
    at('start', c, t)
    ;[c, t] = [process.cpuUsage(), performance.now()]
    const frozen = await TestService.start({ world: 'frozen' })
    at('frozen', c, t)
    await frozen[Symbol.asyncDispose]()
    const node = await startGatewayNode(service)
    const client = await StreamClient.open(`ws://127.0.0.1:${node.port}/v1/stream`, await service.keyOf('enterprise'))
    const { live5m } = service.world
    await client.ask({ op: 'subscribe', selectors: [{ market: live5m.id }], channels: ['book', 'market', 'trade'] })
    for (const ms of [2_000, 2_000, 250, 30_000]) {
      ;[c, t] = [process.cpuUsage(), performance.now()]
      await service.world.advance(ms)
      at(`advance ${ms}`, c, t)
    }
    await service.world.advance(300_000)
    at(`advance to the end`, c, t)
    console.log(service.world.winnerOf(live5m.id), service.world.movedRows(live5m.id).length)
    console.log(client.frames?.slice?.(-5))
    await client.close()
    await node.stop()
    await service[Symbol.asyncDispose]()
  }
})
