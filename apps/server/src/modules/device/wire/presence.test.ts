import { expect, test } from 'vitest'
import { closeSilentDevices } from '#main/devices/device-jobs.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const COUNT = 3000

/**
 * Creates many devices whose lowest ids are last in the table, so that a scan and an index return different orders.
 */
async function crowd() {
  const rows = await oms.query(
    `insert into devices (tenant_id, model_id, sn) select 1, 1, 'P' || n from generate_series(1, ${COUNT}) n returning id`,
  )
  const ids = rows.map(({ id }) => id as number).sort((a, b) => a - b)
  await oms.query('update devices set region = $2 where id = any($1)', [ids.slice(0, 20), 'x'.repeat(60)])
  await oms.query('analyze devices')
  return ids
}

const hear = ({ presence, services: { fleet } }: DeviceServices, ids: readonly number[]) => {
  for (const id of ids) presence.saw(fleet.slots.slotOf(id), '10.0.0.1', Date.now())
}

/** Waits until this many statements wait for a row lock. */
async function waiting(count: number) {
  const query = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await oms.query(query))[0].n < count) await new Promise((next) => setTimeout(next, 20))
}

test('processes that write the same devices lock them in the same order, so that they cannot deadlock', async () => {
  const other = await oms.another()
  const ids = await crowd()
  await Promise.all([oms.sync(), other.sync()])
  const [lowest] = ids as [number]
  const holder = await oms.services.database.pool.connect()
  await holder.query('begin')
  await holder.query('select from devices where id = $1 for update', [lowest])
  // One list covers all devices, one a few. The planner treats both differently, and each has devices of its own.
  hear(oms.side, ids.slice(0, -10))
  hear(other.side, [...ids.slice(0, 5), ...ids.slice(-10)].reverse())
  const flushes = [oms.side.presence.flush(), other.side.presence.flush()]
  await waiting(2)
  const free = await oms.query('select id from devices where id = any($1) order by id for no key update skip locked', [
    ids,
  ])
  expect(free).toHaveLength(COUNT - 1)
  await holder.query('rollback')
  holder.release()
  await Promise.all(flushes)
  const [{ stored }] = await oms.query(
    `select count(*)::int as stored from devices where id = any($1) and online = 1 and last_online_time is not null`,
    [ids],
  )
  expect(stored).toBe(COUNT)
  expect(oms.logs.filter((line) => line.includes('signs of life not stored'))).toEqual([])
})

test('a device whose row is locked is not marked offline and does not block other devices', async () => {
  const ids = (await oms.query(`select id from devices where sn like 'P%' order by id limit 3`)).map(({ id }) => id)
  await oms.query(`update devices set online = 1, last_online_time = now() - interval '1 day' where id = any($1)`, [
    ids,
  ])
  const holder = await oms.services.database.pool.connect()
  await holder.query('begin')
  await holder.query('update devices set last_online_time = now() where id = $1', [ids[1]])
  await closeSilentDevices(oms.services)
  await holder.query('commit')
  holder.release()
  await closeSilentDevices(oms.services)
  expect(await oms.query('select online from devices where id = any($1) order by id', [ids])).toEqual([
    { online: 0 },
    { online: 1 },
    { online: 0 },
  ])
})

test('silent devices are marked offline in several commits, and the next run continues an interrupted run', async () => {
  await oms.query(`update devices set online = 1, last_online_time = now() - interval '1 day' where sn like 'P%'`)
  const offline = async () =>
    (await oms.query(`select count(*)::int as n from devices where sn like 'P%' and online = 0`))[0].n
  let steps = 0
  const signal = { throwIfAborted: () => expect(++steps, 'interrupted').toBeLessThan(3) } as unknown as AbortSignal
  await expect(closeSilentDevices(oms.services, signal)).rejects.toThrow('interrupted')
  expect(await offline()).toBe(2000)
  await closeSilentDevices(oms.services)
  expect(await offline()).toBe(COUNT)
})
