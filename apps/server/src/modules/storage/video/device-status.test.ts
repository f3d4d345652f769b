import type { Pool } from 'pg'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { DeviceStatus } from './device-status.ts'

const MINUTE = 60_000

/** A status store that collects the stored rows as texts. */
function collecting() {
  const stored: string[] = []
  const query = async (_text: string, values: readonly (readonly unknown[])[]) => {
    const [devices, channels, tenants, asked, answers] = values
    devices!.forEach((device, at) =>
      stored.push(`${device}/${channels![at]} of ${tenants![at]}: ${answers![at]} at ${asked![at]}`),
    )
    return { rows: [] }
  }
  const status = new DeviceStatus({ query } as unknown as Pool, pino({ level: 'silent' }))
  const rows = async () => {
    await status.flush()
    return stored.splice(0)
  }
  return { status, rows }
}

test.each([0, 5])(
  'an unchanged response to channel %i is stored again after ten minutes, and a changed response at once',
  async (channel) => {
    const { status, rows } = collecting()
    const key = { slot: 90_000, deviceId: 7, channel, tenantId: 2 }
    const ask = (answer: string, now: number) => status.asked(key, answer, now)
    ask('recording', 0)
    ask('recording', MINUTE)
    expect(await rows()).toEqual([`7/${channel} of 2: recording at 0`])
    ask('recording', 9 * MINUTE)
    expect(await rows()).toEqual([])
    ask('recording', 10 * MINUTE)
    ask('expired', 11 * MINUTE)
    expect(await rows()).toEqual([`7/${channel} of 2: expired at 660`])
    ask('recording', 12 * MINUTE)
    expect(await rows()).toEqual([`7/${channel} of 2: recording at 720`])
  },
)

test('one status is stored for each device and channel', async () => {
  const { status, rows } = collecting()
  for (const [slot, channel] of [
    [3, 0],
    [2, 0],
    [3, 1],
    [3, 0],
  ] as const)
    status.asked({ slot, deviceId: slot + 10, channel, tenantId: 1 }, 'none', MINUTE)
  expect(await rows()).toEqual(['12/0 of 1: none at 60', '13/0 of 1: none at 60', '13/1 of 1: none at 60'])
})
