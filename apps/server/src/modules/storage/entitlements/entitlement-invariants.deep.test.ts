import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { recordDueEntitlements } from '../clock.ts'
import { ENTITLEMENT_URL as URL, START_MS, useStorage } from '#test/fixtures/storage-fixture.ts'

const DAY_MS = 86_400_000
const app = useApp()
const { setNow, clock, call, packages, breaches, newDevice, open, rowsOf, step } = useStorage(app)

test('entitlements move with their device to another tenant, and accounts of that tenant see them', async () => {
  setNow(START_MS)
  const list = ['ossManage:deviceList:list', 'ossManage:deviceList:query', 'ossManage:deviceList:open']
  const tenant = await app.by({ tenant: '丙公司', permissions: list })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '丙公司'`)
  const sn = await newDevice()
  await open([sn])
  const seen = async () => (await tenant.call('GET', `${URL}/page?sn=${sn}`)).data.total
  expect(await seen()).toBe(0)
  await app.db.execute(sql`update devices set tenant_id = ${rows[0]!.id} where sn = ${sn}`)
  expect(await seen()).toBe(1)
  expect((await tenant.call('GET', `${URL}/queue?sn=${sn}`)).data.channels).toHaveLength(1)
  const refused = await tenant.call('POST', `${URL}/open`, { sns: [sn], packageId: packages['M1'], reason: '自助' })
  expect(refused).toMatchObject({ code: 400, msg: '开通额度不足，剩余0份' })
  expect(await breaches()).toEqual([])
})

test('a queue that cannot be updated does not stop the run for the other queues', async () => {
  setNow(START_MS)
  const [broken, sound] = [await newDevice(), await newDevice()]
  await open([broken])
  await open([sound])
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from devices where sn = ${broken}`)
  await app.db.execute(
    sql.raw(`create function refuse_queue() returns trigger language plpgsql as $$ begin
      if old.device_id = ${rows[0]!.id} then raise exception 'refused'; end if; return new; end $$;
    create trigger refuse_queue before update on oss_queues for each row execute function refuse_queue()`),
  )
  setNow(START_MS + 400 * DAY_MS)
  const statesOf = async (sn: string) => (await rowsOf(sn)).map(({ state }) => state)
  const before = await statesOf(broken)
  expect(await recordDueEntitlements(app.services)).toMatchObject({ failedItems: 1 })
  expect([await statesOf(broken), await statesOf(sound)]).toEqual([before, [2]])
  await app.db.execute(sql`drop trigger refuse_queue on oss_queues`)
  expect(await recordDueEntitlements(app.services)).toEqual({ queues: 1, failedItems: 0 })
  expect(await statesOf(broken)).toEqual([2])
})

test('all invariants of entitlements hold after random operations on several devices', {
  timeout: 300_000,
}, async () => {
  let seed = 7
  const random = (count: number) => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.floor((seed / 4_294_967_296) * count)
  }
  setNow(START_MS)
  const sns = await Promise.all([newDevice(), newDevice(), newDevice()])
  for (let count = 0; count < 120; count += 1) {
    setNow(clock.now + random(9) * DAY_MS)
    const sn = sns[random(3)]!
    const rows = await rowsOf(sn)
    const chosen = rows[random(rows.length)]
    const kind = random(10)
    if (kind < 4 || !chosen)
      await open([sn], ['M1', 'W1'][random(2)]!, {
        effectMode: random(3) + 1,
        channels: [random(2)],
        copies: random(2) + 1,
      })
    else if (kind === 4)
      await step(
        'suspend',
        rows.map(({ id }) => id),
      )
    else if (kind === 5)
      await step(
        'resume',
        rows.map(({ id }) => id),
      )
    else if (kind === 6) await step('cancel', [chosen.id])
    else if (kind === 7)
      await call('POST', `${URL}/transfer`, {
        id: chosen.id,
        targetSn: sns[random(3)],
        targetChannel: 1,
        reason: '换机',
      })
    else if (kind === 8) await call('POST', `${URL}/renew`, { ids: [chosen.id], reason: '续费' })
    else await recordDueEntitlements(app.services)
  }
  expect(await breaches()).toEqual([])
  const { rows } = await app.db.execute<{ n: number }>(
    sql`select count(distinct state)::int as n from oss_entitlements`,
  )
  expect(rows[0]?.n).toBeGreaterThanOrEqual(5)
})
