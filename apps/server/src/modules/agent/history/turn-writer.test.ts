import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TurnWriter, type TurnReport } from './turn-writer.ts'

test('flushing waits only for turns that were added before, although other devices keep reporting', async () => {
  const pool = { query: () => setImmediate({ rows: [] }) }
  const writer = new TurnWriter({ pool, secretKey: Buffer.alloc(32) } as unknown as ConstructorParameters<
    typeof TurnWriter
  >[0])
  const report = { mac: 'aabbccddee01', serverTenant: 1, sessionId: 'talk' } as TurnReport
  const MOST = 50
  let stored = 0
  const reportAll = async () => {
    for (let n = 0; n < MOST; n += 1) {
      await writer.add(report)
      stored += 1
    }
  }
  const running = [reportAll(), reportAll()]
  await writer.written()
  expect(stored).toBe(2)
  await Promise.all(running)
  await writer.written()
  expect(stored).toBe(2 * MOST)
})
