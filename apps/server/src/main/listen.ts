import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Services } from '#core/services.ts'
import { buildApp } from './app.ts'
import { limitConnections } from './connection-limits.ts'
import { DeviceHandler } from './devices/handler.ts'
import { createDeviceServer } from './devices/server.ts'

/** Servers of one process, by its role. */
export interface Serving {
  readonly server: Server
  /** Starts to listen. Returns the port. */
  listen(): Promise<number>
  close(): Promise<void>
}

/** Creates the servers of the role: console, devices, or both in one process. A console process serves no devices. */
export function createServers(services: Services): Serving {
  const { role } = services.config
  const devices = role === 'console' ? undefined : new DeviceHandler(services)
  const serving =
    devices && role === 'device'
      ? plainListener(services, createDeviceServer(services, devices))
      : withConsole(services, devices)
  devices?.acceptUpgrades(serving.server)
  limit(serving.server, services)
  return {
    server: serving.server,
    async listen() {
      await serving.listen()
      devices?.side.start()
      return (serving.server.address() as AddressInfo).port
    },
    async close() {
      await serving.close()
      await devices?.side.close()
    },
  }
}

interface Listening {
  readonly server: Server
  listen(): Promise<unknown>
  close(): Promise<unknown>
}

function withConsole(services: Services, devices: DeviceHandler | undefined): Listening {
  const { host, port } = services.config
  const app = buildApp(services, devices)
  return { server: app.server, listen: () => app.listen({ host, port }), close: () => app.close() }
}

function plainListener({ config: { host, port } }: Services, server: Server): Listening {
  const listen = () => new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done))
  const close = () => new Promise<void>((done) => server.close(() => done()).closeIdleConnections())
  return { server, listen, close }
}

function limit(server: Server, services: Services) {
  server.headersTimeout = 15_000
  // A large upload may take an hour. The time for a body is limited per route instead.
  server.requestTimeout = 0
  server.keepAliveTimeout = 10_000
  // The server reads this option when it begins to listen, although the types only allow it at creation.
  Object.assign(server, { connectionsCheckingInterval: 5_000 })
  limitConnections(server, services)
}
