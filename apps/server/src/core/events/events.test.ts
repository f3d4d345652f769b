import { mkdtempSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, inject, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { Events } from './events.ts'

const app = useApp()

test('caughtUp resolves after all earlier notifications arrived, and concurrent callers share one query', async () => {
  const { events } = app.services
  const heard = new Set<string>()
  const stop = events.on('changed', ({ resource }) => void heard.add(resource))
  const one = async (_: unknown, at: number) => {
    await events.publish(app.db, 'changed', { resource: `r${at}`, tenantId: null })
    await events.caughtUp()
    return heard.has(`r${at}`)
  }
  expect(await Promise.all(Array.from({ length: 40 }, one))).toEqual(Array.from({ length: 40 }, () => true))
  stop()
})

/** Starts a TCP proxy for the database whose connections can stop forwarding, as after a power failure of a router. */
async function silentProxy() {
  const { host, port } = app.services.database.connection
  const folder = mkdtempSync(join(inject('scratch'), 'proxy-'))
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const address = host?.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port: port ?? 5432 }
    const far = createConnection(address as { path: string })
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}))
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => near.write(bytes))
    near.on('close', () => far.destroy())
  })
  await new Promise<void>((done) => server.listen(join(folder, '.s.PGSQL.5432'), done))
  return {
    connection: { ...app.services.database.connection, host: folder, port: 5432 },
    /** Stops forwarding on open connections without closing them. New connections work. */
    silence: () => {
      for (const socket of sockets) socket.pause()
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test('a silent notification connection is replaced within 15 s, without a longer wait for any caller', {
  timeout: 60_000,
}, async () => {
  const proxy = await silentProxy()
  const events = new Events({ ...app.services.database, connection: proxy.connection }, pino({ level: 'silent' }))
  let reconnects = 0
  events.onReconnect(() => (reconnects += 1))
  try {
    await events.start()
    await events.holdLock('7302515, 99')
    proxy.silence()
    const since = performance.now()
    await events.caughtUp()
    expect(performance.now() - since).toBeLessThan(10_000)
    await expect.poll(() => reconnects, { timeout: 15_000 }).toBe(1)
    const received = new Promise((done) => events.on('dict', done))
    await app.services.events.publish(app.db, 'dict', { type: 'after the silence' })
    expect(await received).toEqual({ type: 'after the silence' })
    const { rowCount } = await app.services.database.pool.query(
      `select from pg_locks where locktype = 'advisory' and classid = 7302515 and objid = 99`,
    )
    expect(rowCount).toBeGreaterThan(0)
    // Only the heartbeat notices the next silence.
    proxy.silence()
    await expect.poll(() => reconnects, { timeout: 15_000 }).toBe(2)
  } finally {
    await events.close()
    proxy.close()
  }
})
