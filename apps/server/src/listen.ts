import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Kernel } from '#kernel/kernel.ts'
import { buildApp } from './app.ts'
import { DeviceHandler } from './device-side/handler.ts'
import { deviceServer } from './device-side/server.ts'

const PER_ADDRESS = 100

/** What one process serves, by its role. */
export interface Serving {
  readonly server: Server
  /** Answers the port it listens on. */
  listen(): Promise<number>
  close(): Promise<void>
}

/** The console, the devices' side, or both in one process; a console alone answers no device. */
export function servingFor(kernel: Kernel): Serving {
  const { role } = kernel.config
  const devices = role === 'console' ? undefined : new DeviceHandler(kernel)
  const serving =
    devices && role === 'device' ? bare(kernel, deviceServer(kernel, devices)) : withConsole(kernel, devices)
  limit(serving.server, kernel)
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

function withConsole(kernel: Kernel, devices: DeviceHandler | undefined): Listening {
  const { host, port } = kernel.config
  const app = buildApp(kernel, devices)
  return { server: app.server, listen: () => app.listen({ host, port }), close: () => app.close() }
}

function bare({ config: { host, port } }: Kernel, server: Server): Listening {
  const listen = () => new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done))
  const close = () => new Promise<void>((done) => server.close(() => done()).closeIdleConnections())
  return { server, listen, close }
}

function limit(server: Server, { config: { maxConnections, role } }: Kernel) {
  server.maxConnections = maxConnections
  server.headersTimeout = 15_000
  // A large upload may take an hour; the time a body may take is limited route by route instead.
  server.requestTimeout = 0
  server.keepAliveTimeout = 10_000
  // Read when the server begins to listen, though the types know it as an option of its creation only.
  Object.assign(server, { connectionsCheckingInterval: 5_000 })
  // Thousands of devices may stand behind one address, and come back together after a power cut.
  if (role === 'console') limitPerAddress(server, PER_ADDRESS)
  else if (role === 'all') limitPerAddress(server, Math.max(PER_ADDRESS, maxConnections / 2))
}

/** One stranger must not take all connections. The machine itself is exempt: a proxy may stand there. */
function limitPerAddress(server: Server, most: number) {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    if (/^(::ffff:)?127\.|^::1$/.test(address)) return
    const count = (open.get(address) ?? 0) + 1
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
    if (count > most) socket.destroy()
  })
}
