import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { EventResponse } from './relay-vendor.ts'

test('AGENT-17 a client that stops reading pauses the stream, and no bytes accumulate in memory', async () => {
  const block = 'x'.repeat(64 * 1024)
  let sent = 0
  let mostWaiting = 0
  let isDone = false
  const server = createServer(async (_request, response) => {
    const events = new EventResponse(response)
    while (!response.destroyed && sent < 10_000) {
      await events.send(block)
      sent += 1
      mostWaiting = Math.max(mostWaiting, response.writableLength)
    }
    isDone = true
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const reading = request({ port: (server.address() as AddressInfo).port }).end()
  reading.on('error', () => {})
  const [response] = await once(reading, 'response')
  response.pause()
  await sleep(1000)
  const stoppedAt = sent
  await sleep(500)
  expect(sent).toBe(stoppedAt)
  expect(sent).toBeLessThan(1000)
  expect(mostWaiting).toBeLessThan(1024 * 1024)
  reading.destroy()
  await expect.poll(() => isDone).toBe(true)
  server.closeAllConnections()
})
