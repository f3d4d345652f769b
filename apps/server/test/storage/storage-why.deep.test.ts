import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { VIDEO_INVARIANT_QUERY } from '#modules/storage/invariants.ts'
import { REFUSAL_REASONS } from '#modules/storage/video/permit-rules.ts'
import { DeviceHandler } from '#main/devices/handler.ts'
import { useApp } from '#test/harness.ts'
import { createDemoData } from '#demo/fill.ts'

const server = useApp()
const AT_ONCE = 20

interface Asked extends Record<string, unknown> {
  readonly sn: string
  readonly isServed: boolean
}

/** Starts the device protocols of the server and returns the state of a channel as a camera reads it. */
async function cameras() {
  const devices = new DeviceHandler(server.services)
  const listening = createServer((request, response) => devices.handle(request, response))
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/device/v1/storage/state`
  return {
    async stateOf(sn: string): Promise<{ status: number; state: string }> {
      const reply = await fetch(url, {
        method: 'POST',
        body: JSON.stringify({ sn }),
        headers: { authorization: `Bearer demo${sn}`, 'content-type': 'application/json' },
      })
      const body = (await reply.json()) as { channels?: { state: string }[] }
      return { status: reply.status, state: body.channels?.[0]?.state ?? '' }
    },
    async close() {
      listening.closeAllConnections()
      await new Promise((done) => listening.close(done))
      await devices.side.close()
    },
  }
}

test('STORAGE-14 the explanation "why no video" matches the response to the camera for every demo device', {
  timeout: 300_000,
}, async () => {
  await createDemoData(server.services)
  const breaches = await server.services.database.pool.query(VIDEO_INVARIANT_QUERY)
  expect(breaches.rows).toEqual([])
  await server.db.execute(sql`update devices set token_hash = sha256(convert_to('demo' || sn, 'UTF8'))`)
  const { rows } = await server.db.execute<Asked>(sql`
    select d.sn, d.status = 1 and t.status = 1 as "isServed" from devices d join tenants t on t.id = d.tenant_id
    where d.deleted_at is null order by d.id`)
  expect(rows.length).toBeGreaterThan(1900)
  const staff = await server.by({ superAdmin: true })
  const { stateOf, close } = await cameras()
  const differences: unknown[] = []
  const seen = new Set<string>()
  await server.services.fleet.sync()
  let next = 0
  const worker = async () => {
    for (let at = next++; at < rows.length; at = next++) {
      const { sn, isServed } = rows[at]!
      const { data } = await staff.call('GET', `/api/v1/oss/device/why?sn=${sn}`)
      const { status, state } = await stateOf(sn)
      const first = data.rules.find(({ passed }: { passed: number | null }) => passed === 0)?.reason ?? 'recording'
      seen.add(first)
      const answer = status === 401 ? (isServed ? 'unexpected 401' : first) : state
      const text = first === 'recording' ? '' : REFUSAL_REASONS[first as keyof typeof REFUSAL_REASONS]
      if (answer !== first || data.refusal !== text)
        differences.push({ sn, status, state, first, refusal: data.refusal })
      if (!isServed && !['disabled', 'tenant'].includes(first)) differences.push({ sn, first })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await close()
  expect(differences).toEqual([])
  expect([...seen]).toEqual(
    expect.arrayContaining(['recording', 'disabled', 'model', 'none', 'suspended', 'expired', 'switch']),
  )
})
