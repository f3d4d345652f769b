import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, buildConnectionSettings } from '#core/database/client.ts'
import { readCopiedRowCount } from '#core/database/statements/rows.ts'
import { Events } from '#core/events/events.ts'
import { createTestDatabase } from '#test/database.ts'
import { Fleet } from './fleet.ts'

const log = pino({ level: 'silent' })
const ZONE = 'Asia/Shanghai'
let database: Database
const processes: { fleet: Fleet; events: Events }[] = []

/** The matching rules as a subquery on a request `q` (sn, now), independent of the implementation under test. */
const SQL_MATCH = `
  with mixed as (select d.*, v.ota_id, v.tenant_id as owner, v.ver_code as target, v.kind, v.status as vstatus, v.old_ver_min,
      v.old_ver_max, v.release_date, coalesce(p.mode, 1) as mode, coalesce(p.state, 0) as pstate, coalesce(p.percent, 10000) as percent,
      coalesce(p.tenant_ids, '{}') as tenant_ids, coalesce(p.group_ids, '{}') as group_ids, p.start_time, p.end_time,
      p.daily_start, p.daily_end, coalesce(p.auto_retries, 0) as retries,
      exists (select from ota_whites w where w.ota_id = v.ota_id and w.device_id = d.id) as white,
      pg_temp.place(d.id, v.ota_id) as place,
      extract(hour from q.now at time zone '${ZONE}') * 60 + extract(minute from q.now at time zone '${ZONE}') as minute
    from devices d join device_models m on m.id = d.model_id and m.status = 1 and m.deleted_at is null
      join ota_versions v on v.model_id = d.model_id and v.deleted_at is null left join ota_policies p on p.ota_id = v.ota_id
    where d.sn = q.sn and d.deleted_at is null and d.status = 1)
  select ota_id as id from mixed x where vstatus = 1 and kind = 1 and release_date at time zone '${ZONE}' <= q.now
    and (ver_code is null or target > ver_code)
    and (old_ver_min is null or ver_code >= old_ver_min) and (old_ver_max is null or ver_code <= old_ver_max)
    and owner in (1, tenant_id) and pstate < 3
    and (white or (mode = 2 and pstate = 0 and (tenant_ids = '{}' or tenant_id = any(tenant_ids)) and place < percent
      and (group_ids = '{}' or exists (select from device_group_members g join device_groups k on k.id = g.group_id and k.kind = 1
          and k.deleted_at is null and k.status = 1 where g.device_id = x.id and g.group_id = any(group_ids))
        or exists (select from device_groups k where k.kind = 2 and k.deleted_at is null and k.status = 1 and k.id = any(group_ids)
          and k.tenant_id = x.tenant_id and starts_with(x.sn, k.rule->>'snPrefix')))
      and (start_time is null or start_time <= q.now) and (end_time is null or end_time > q.now)
      and (daily_start is null or (daily_start < daily_end and minute >= daily_start and minute < daily_end)
        or (daily_start > daily_end and (minute >= daily_start or minute < daily_end)))))
    and (select count(*) filter (where t.state = 110) > x.retries or coalesce(bool_or(t.state = 120), false) from ota_tasks t
      where t.device_id = x.id and t.ota_id = x.ota_id and t.state in (110, 120) and not t.retried) is not true
  order by target desc, (owner = tenant_id) desc, ota_id desc limit 1`

const HELPERS = `
  create or replace function pg_temp.times(a bigint, b bigint) returns bigint language sql immutable as
    $$ select ((a::numeric * b) % 4294967296)::bigint $$;
  create or replace function pg_temp.place(device integer, ota integer) returns bigint language plpgsql immutable as $$
  declare h bigint := device::bigint # pg_temp.times(ota, 2654435761);
  begin
    h := pg_temp.times(h # (h >> 16), 2246822507);
    h := pg_temp.times(h # (h >> 13), 3266489909);
    return (h # (h >> 16)) % 10000;
  end $$;`

const run = (text: string, values?: unknown[]) => database.pool.query(text, values)

beforeAll(async () => {
  const plain = await createTestDatabase()
  // The connection's time zone is that of the console, as in production.
  database = { ...plain, connection: buildConnectionSettings(plain.connection, { timeZone: ZONE }) }
  await fill()
  for (let i = 0; i < 2; i++) {
    const events = new Events(database, log)
    await events.start()
    processes.push({ events, fleet: new Fleet({ database, events, log, timeZone: ZONE }) })
  }
  await Promise.all(processes.map(({ fleet }) => fleet.ready()))
})
afterAll(async () => {
  for (const { fleet, events } of processes) {
    await fleet.close()
    await events.close()
  }
  await database.close()
})

/** Inserts 4 tenants, 5 models (one disabled), 900 devices and 120 versions with every kind of release. */
async function fill() {
  await run(`select setseed(0.42)`)
  await run(`insert into tenants (id, tenant_no, name) select g, 'T' || g, '租户' || g from generate_series(2, 4) g`)
  await run(`insert into device_types (type_name, type_code) values ('t', 't')`)
  await run(`insert into device_models (type_id, model_name, model_code, status)
    select 1, 'm' || g, 'm' || g, (g <> 5)::int from generate_series(1, 5) g`)
  await run(`insert into devices (tenant_id, model_id, sn, ver_code, status)
    select 1 + g % 4, 1 + (g / 4) % 5, chr(65 + g % 3) || 'SN' || g || case when g % 50 = 0 then '号%' else '' end,
      case when g % 11 = 0 then null else (random() * 60)::int end, (g % 37 <> 0)::int from generate_series(1, 900) g`)
  await run(`insert into device_groups (tenant_id, group_name, kind, rule, status) select 1 + g % 4, 'g' || g, 1 + g % 2,
    case when g % 2 = 1 then jsonb_build_object('snPrefix', chr(65 + g % 3)) end, (g <> 6)::int from generate_series(1, 12) g`)
  await run(`insert into device_group_members (group_id, device_id) select g.id, d.id from device_groups g
    join devices d on d.tenant_id = g.tenant_id and (d.id * 7 + g.id) % 5 = 0 where g.kind = 1`)
  await run(`insert into ota_versions (tenant_id, model_id, kind, package_name, ver_code, ver_name, old_ver_min, old_ver_max, release_date, status)
    select case when g % 3 = 0 then 2 + g % 3 else 1 end, 1 + g % 5, case when g % 17 = 0 then 2 else 1 end,
      case when g % 17 = 0 then 'app' else '' end, 1 + g / 2, 'v' || g, case when g % 4 = 0 then (g % 3) * 10 end,
      case when g % 5 = 0 then (random() * 50)::int end, timestamp '2026-06-01 12:00:00' + make_interval(hours => (g % 7) - 3),
      (g % 9 <> 0)::int from generate_series(1, 120) g on conflict do nothing`)
  await run(`insert into ota_policies (ota_id, tenant_id, mode, state, percent, tenant_ids, group_ids, start_time, end_time, daily_start, daily_end, auto_retries)
    select ota_id, tenant_id, 1 + (ota_id % 4 <> 0)::int, case when ota_id % 13 < 4 then ota_id % 13 else 0 end,
      (array[0, 100, 2500, 5000, 9999, 10000, 10000])[1 + ota_id % 7], case when ota_id % 6 = 0 then array[1, 3] else '{}' end,
      case when ota_id % 8 = 1 then array[1 + ota_id % 12, 1 + (ota_id * 5) % 12] else '{}' end,
      case when ota_id % 10 = 0 then timestamptz '2026-06-01 10:30:00+08' end, case when ota_id % 10 = 0 then timestamptz '2026-06-01 13:30:00+08' end,
      case when ota_id % 12 = 5 then (array[600, 1380])[1 + ota_id % 2] end, case when ota_id % 12 = 5 then 700 end, ota_id % 3
    from ota_versions where ota_id % 10 <> 3`)
  await run(`insert into ota_whites (ota_id, device_id) select v.ota_id, d.id from ota_versions v join devices d on (d.id * 3 + v.ota_id) % 19 = 0
    where v.ota_id % 2 = 0`)
  await run(`insert into ota_tasks (ota_id, device_id, tenant_id, model_id, ver_code, state, close_time, retried)
    select v.ota_id, d.id, d.tenant_id, d.model_id, v.ver_code, (array[100, 110, 110, 120])[1 + (d.id + v.ota_id) % 4], now(), d.id % 5 = 0
    from ota_versions v join devices d on d.model_id = v.model_id and (d.id + v.ota_id * 3) % 7 = 0`)
}

/** Changes of every kind that the console and devices make. */
const CHANGES = [
  `update devices set ver_code = (random() * 60)::int where id % 13 = 0`,
  `update ota_policies set percent = 10000, state = 0 where ota_id % 7 = 1`,
  `insert into ota_whites (ota_id, device_id) select ota_id, 100 + ota_id from ota_versions on conflict do nothing`,
  `delete from ota_whites where ota_id % 6 = 0`,
  `update devices set deleted_at = now() where id % 41 = 0`,
  `insert into devices (tenant_id, model_id, sn, ver_code) select 1, 1, 'NEW' || g, g from generate_series(1, 60) g`,
  `insert into devices (tenant_id, model_id, sn, ver_code) select tenant_id, model_id, sn, 0 from devices where deleted_at is not null`,
  `delete from device_group_members where device_id % 3 = 0`,
  `insert into device_group_members (group_id, device_id) select id, 77 from device_groups where kind = 1 on conflict do nothing`,
  `update device_groups set status = 0 where id = 2`,
  `update ota_versions set status = 1 - (status = 1)::int where ota_id % 9 = 0`,
  `update ota_tasks set retried = true where task_id % 3 = 0`,
  `insert into ota_tasks (ota_id, device_id, tenant_id, model_id, ver_code, state, close_time)
    select v.ota_id, d.id, d.tenant_id, d.model_id, v.ver_code, 110, now() from ota_versions v join devices d
    on d.model_id = v.model_id and (d.id + v.ota_id) % 11 = 0`,
  `update device_models set status = 1 where id = 5`,
  `update devices set sn = 'MOVED' || id where id between 300 and 320`,
  `update devices set model_id = 3, tenant_id = 2 where id between 400 and 450`,
]

/** Compares the index of each process with one SQL query for `count` random devices and times. */
async function compare(count: number) {
  const { rows: devices } = await run('select sn from devices')
  const requests = Array.from({ length: count }, () => ({
    sn: devices[Math.floor(Math.random() * devices.length)].sn as string,
    now: new Date(Date.UTC(2026, 5, 1, 0, Math.floor(Math.random() * 720))),
  }))
  const client = await database.pool.connect()
  try {
    await client.query(HELPERS)
    await client.query('analyze') // The rows were just inserted; without statistics, the plan takes minutes.
    const { rows } = await client.query<{ id: number | null }>(
      `select (${SQL_MATCH}) as id from unnest($1::text[], $2::timestamptz[]) with ordinality q (sn, now, i) order by i`,
      [requests.map(({ sn }) => sn), requests.map(({ now }) => now)],
    )
    for (const { fleet } of processes) {
      const found = requests.map(({ sn, now }) => {
        const slot = fleet.slots.find(sn)
        return { sn, now, otaId: slot < 0 ? undefined : fleet.match(slot, fleet.moment(now))?.otaId }
      })
      expect(found).toEqual(requests.map((request, i) => ({ ...request, otaId: rows[i]?.id ?? undefined })))
    }
  } finally {
    client.release()
  }
}

describe('the fleet index', () => {
  test('the fleet index equals SQL for 3,000 random devices in two processes while tables change', async () => {
    expect.hasAssertions()
    await compare(600)
    for (const half of [CHANGES.slice(0, 8), CHANGES.slice(8)]) {
      for (const change of half) await run(change)
      await Promise.all(processes.map(({ fleet }) => fleet.sync()))
      await compare(1200)
    }
  })

  test('the fleet index receives changes by events, including transactions that commit late', async () => {
    const { fleet } = processes[0]!
    const late = await database.pool.connect()
    await late.query(`begin; insert into devices (tenant_id, model_id, sn) values (1, 1, 'LATE')`)
    await run(`insert into devices (tenant_id, model_id, sn) values (1, 1, 'EARLY')`)
    await heard(() => fleet.slots.find('EARLY') >= 0)
    expect(fleet.slots.find('LATE')).toBe(-1)
    await late.query('commit')
    late.release()
    await heard(() => fleet.slots.find('LATE') >= 0)
    const { rows } = await run(
      `update ota_policies set state = 4 where ota_id = (select min(ota_id) from ota_policies) returning ota_id`,
    )
    await heard(() => (fleet.state.rules.get(rows[0].ota_id)?.state ?? 4) === 4)
  })

  test('while a write transaction stays open, each load reads only rows that changed since the previous load', async () => {
    const sync = () => Promise.all(processes.map(({ fleet }) => fleet.sync()))
    const holder = await database.pool.connect()
    await holder.query(`begin; update devices set ver_code = 777 where sn = 'LATE'`)
    await run(`update devices set ver_code = 7 where sn <> 'LATE'`)
    await sync()
    await sync()
    const before = readCopiedRowCount()
    await run(`update devices set ver_code = 8 where sn = 'EARLY'`)
    await sync()
    // Each of the two processes reads only one row.
    expect(readCopiedRowCount() - before).toBe(2)
    await holder.query('commit')
    holder.release()
    await sync()
    const { verCode } = (await processes[0]!.fleet.factsOf('LATE'))!
    expect([readCopiedRowCount() - before, verCode]).toEqual([4, 777])
  })

  test('the results of a dry run add up to all devices, and its sample devices get the version in a poll', async () => {
    const { fleet } = processes[1]!
    await fleet.sync()
    const now = new Date('2026-06-01T04:00:00Z')
    for (const rule of fleet.state.rules.values()) {
      if (rule.kind !== 1) continue
      const { count, spent, busy, outranked, total, obstacles } = await fleet.dryRun(rule, now)
      const refused = [...obstacles.values()].reduce((sum, each) => sum + each, 0)
      expect(count + spent + busy + outranked + refused).toBe(total)
    }
    const [top] = [...fleet.state.firmware.values()].map(([first]) => first!)
    const { sample, count } = await fleet.dryRun(top!, now, { sample: 5 })
    for (const { sn } of sample) expect(fleet.match(fleet.slots.find(sn), fleet.moment(now))?.otaId).toBe(top!.otaId)
    expect((await fleet.dryRun(top!, now, { tenants: [] })).count).toBe(0)
    const draft = await fleet.ruleOf(top!.otaId, { mode: 2, state: 0, percent: 10_000, tenantIds: [], groupIds: [] })
    expect((await fleet.dryRun(draft!, now)).count).toBeGreaterThanOrEqual(count)
  })
})

/** Polls until the check is true. The test's time limit ends the wait. */
async function heard(check: () => boolean) {
  while (!check()) await new Promise((done) => setTimeout(done, 2))
}
