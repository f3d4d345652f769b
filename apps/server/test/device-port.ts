import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Services } from '#core/services.ts'
import { DeviceHandler } from '#main/devices/handler.ts'

/** Opens a port for device calls beside the console of a test. */
export async function listenForDevices(services: Services) {
  const handler = new DeviceHandler(services)
  const server = createServer((request, response) => handler.handle(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await handler.side.close()
    },
  }
}
