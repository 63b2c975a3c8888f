import type { ConsumerConfig, JetStreamManager } from '@nats-io/jetstream'

/** Creates or updates a durable consumer. */
export async function prepareConsumer(
  manager: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  try {
    await manager.consumers.info(stream, config.durable_name)
  } catch {
    await manager.consumers.add(stream, config)
    return
  }
  await manager.consumers.update(stream, config.durable_name, config)
}
