import { createHash } from 'node:crypto'
import { join } from 'node:path'

interface Login {
  readonly user: string
  readonly password: string
}

export interface ClickHousePlan {
  readonly kind: 'clickhouse'
  readonly id: 'clickhouse' | `clickhouse-${number}`
  readonly folder: string
  readonly httpPort: number
  readonly tcpPort: number
  readonly database: string
  readonly writer: Login
  readonly reader: Login
  /** Document for `users.d`. */
  readonly otherUsers: string | undefined
  /** Counted from 1. */
  readonly shard: number
  readonly cluster: {
    readonly name: string
    readonly secret: string
    readonly httpPorts: readonly number[]
    readonly tcpPorts: readonly number[]
  }
}

export function serverConfig({ folder, httpPort, tcpPort, shard, cluster }: ClickHousePlan, usersFile: string): string {
  const shards = cluster.tcpPorts.map(
    (port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
  )
  return `<clickhouse>
  <logger><level>error</level><console>0</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${httpPort}</http_port>
  <tcp_port>${tcpPort}</tcp_port>
  <timezone>UTC</timezone>
  <users_config>${xmlText(usersFile)}</users_config>
  <backups><allowed_path>${xmlText(join(folder, 'backups'))}/</allowed_path><allowed_path>/</allowed_path></backups>
  <macros><shard>${shard}</shard></macros>
  <remote_servers>
    <${cluster.name}>
      <secret>${cluster.secret}</secret>
      ${shards.join('\n      ')}
    </${cluster.name}>
  </remote_servers>
</clickhouse>
`
}

/**
 * The launcher's session needs the user `default` without a password. Its quota allows only the launcher's three
 * statements, so no client can read or change anything as that user.
 */
export function usersConfig({ writer, reader, database }: ClickHousePlan): string {
  return `<clickhouse>
  <profiles>
    <default/>
    <writer><async_insert>0</async_insert></writer>
    <reader>
      <readonly>2</readonly>
      <cancel_http_readonly_queries_on_client_close>1</cancel_http_readonly_queries_on_client_close>
      <max_execution_time>60</max_execution_time>
      <max_memory_usage>2000000000</max_memory_usage>
      <max_result_rows>5000000</max_result_rows>
      <constraints>
        <readonly><const/></readonly>
        <max_execution_time><min>1</min><max>60</max></max_execution_time>
        <max_memory_usage><min>1</min><max>2000000000</max></max_memory_usage>
        <max_result_rows><min>1</min><max>5000000</max></max_result_rows>
      </constraints>
    </reader>
  </profiles>
  <quotas>
    <default/>
    <launcher><interval><duration>31536000</duration><queries>3</queries></interval></launcher>
  </quotas>
  <users>
    <${writer.user}>${login(writer.password)}<profile>writer</profile><quota>default</quota></${writer.user}>
    <${reader.user}>
      ${login(reader.password)}<profile>reader</profile><quota>default</quota>
      ${grants([`SELECT ON ${database}.*`, 'SELECT ON system.*'])}
    </${reader.user}>
    <default>
      <no_password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>launcher</quota>
      ${grants(['SYSTEM LISTEN ON *.*', 'CREATE TEMPORARY TABLE ON *.*', 'READ ON FILE'])}
    </default>
  </users>
</clickhouse>
`
}

function login(password: string): string {
  const hash = createHash('sha256').update(password).digest('hex')
  return `<password_sha256_hex>${hash}</password_sha256_hex><networks><ip>127.0.0.1</ip></networks>`
}

function grants(rights: string[]): string {
  return `<grants>${rights.map((right) => `<query>GRANT ${right}</query>`).join('')}</grants>`
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
