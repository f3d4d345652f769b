import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { breaches, deviceOf, modelOf, stateOf, stock, uidOf } from '#test/fixtures/license-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { activateLicense } from './activate.ts'

const server = useApp()
const TRANSFER = '/api/v1/device/info/transfer'
let me: Caller
let modelId: number
let theirs: number

beforeAll(async () => {
  modelId = await modelOf(server.db, 'CARRY')
  me = await server.by({ superAdmin: true })
  const { rows } = await server.db.execute<{ id: number }>(
    sql`insert into tenants (tenant_no, name) values ('CARRY', '接收客户') returning id`,
  )
  theirs = rows[0]!.id
})

/** Waits until a connection waits for a lock. */
async function somebodyWaits() {
  for (;;) {
    const { rows } = await server.db.execute<{ n: number }>(
      sql`select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    if (rows[0]!.n > 0) return
  }
}

/** Opens a connection of the test, separate from those of the calls. */
const client = () => server.services.database.pool.connect()

test('a transfer locks the certificate before the device, so that it cannot deadlock with an activation', async () => {
  const [license] = await stock(server.db, { prefix: 'CARA', count: 1, tenantId: 1 })
  const device = await deviceOf(server.db, 'CAR-1', 1, modelId)
  expect(await activateLicense(server.services, { uid: uidOf('CARA', 1), sn: 'CAR-1' })).toMatchObject({ status: 200 })
  // Repeats the locking steps of an activation, a suspension or a scrapping.
  const other = await client()
  await other.query('begin')
  await other.query('select from licenses where id = $1 for update', [license])
  const moving = me.call('POST', TRANSFER, { ids: [device], tenantId: theirs })
  await somebodyWaits()
  await other.query('select from devices where id = $1 for update', [device])
  await other.query('commit')
  other.release()
  expect(await moving).toMatchObject({ code: 200, data: { done: 1, failed: [] } })
  expect(await stateOf(server.db, license!)).toEqual({ state: 3, tenant: theirs, device })
})

test('a device whose certificate is bound and locked between both locks of a transfer is refused without waiting', async () => {
  const [license] = await stock(server.db, { prefix: 'CARB', count: 1, tenantId: 1 })
  const device = await deviceOf(server.db, 'CAR-2', 1, modelId)
  // Locks the device, so that the transfer stops between its two locks.
  const other = await client()
  const holder = await client()
  await other.query('begin')
  await other.query('select from devices where id = $1 for update', [device])
  const moving = me.call('POST', TRANSFER, { ids: [device], tenantId: theirs })
  await somebodyWaits()
  await holder.query('update licenses set state = 2, device_id = $2 where id = $1', [license, device])
  await holder.query('begin')
  await holder.query('select from licenses where id = $1 for update', [license])
  await other.query('update devices set uid = $2 where id = $1', [device, uidOf('CARB', 1)])
  await other.query('commit')
  expect(await moving).toMatchObject({ msg: '设备的证书正在变更，请稍后重试' })
  await holder.query('rollback')
  other.release()
  holder.release()
  expect(await me.call('POST', TRANSFER, { ids: [device], tenantId: theirs })).toMatchObject({ code: 200 })
})

test('simultaneous activations and transfers all get a response, and the ledger stays balanced', async () => {
  const COUNT = 8
  await stock(server.db, { prefix: 'CARC', count: COUNT, tenantId: 1 })
  const numbers = Array.from({ length: COUNT }, (_, at) => at + 1)
  const ids = []
  for (const n of numbers) ids.push(await deviceOf(server.db, `CAR-C${n}`, 1, modelId))
  for (const to of [theirs, 1, theirs]) {
    const answers = await Promise.all([
      ...numbers.map((n) => activateLicense(server.services, { uid: uidOf('CARC', n), sn: `CAR-C${n}` })),
      me.call('POST', TRANSFER, { ids: ids.slice(0, 5), tenantId: to }),
      me.call('POST', TRANSFER, { ids: ids.slice(3).toReversed(), tenantId: to }),
    ])
    for (const answer of answers)
      if ('code' in answer) expect([200, 400]).toContain(answer.code)
      else expect([200, 404, 409]).toContain(answer.status)
  }
  const { rows } = await server.db.execute(sql`select l.id from licenses l join devices d on d.id = l.device_id
    where l.tenant_id is distinct from d.tenant_id`)
  expect(rows).toEqual([])
  expect(await breaches(server.db)).toEqual([])
})
