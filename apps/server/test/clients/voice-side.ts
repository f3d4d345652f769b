import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Services } from '#core/services.ts'
import { DeviceHandler } from '#main/devices/handler.ts'

/** Opens a port for the calls of voice servers. Returns the value of `manager-api.url`. */
export async function openVoiceSide(services: Services) {
  const handler = new DeviceHandler(services)
  const server = createServer((request, response) => handler.handle(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/xiaozhi`,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await handler.side.close()
    },
  }
}
