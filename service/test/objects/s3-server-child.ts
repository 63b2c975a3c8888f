import S3rver from 's3rver'

const [directory = '', bucket = '', port = '0'] = process.argv.slice(2)
const server = new S3rver({
  port: Number(port),
  address: '127.0.0.1',
  silent: true,
  directory,
  configureBuckets: [{ name: bucket, configs: [] }],
})
const at = await server.run()
process.send?.(at.port)
process.on('disconnect', () => process.exit())
