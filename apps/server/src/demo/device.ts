import { QuickModelInput, deviceModels } from '@oms/contract/device/device-model.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { createModelQuickly } from '#modules/device/model-choices.ts'
import { type Demo, runCall } from './call.ts'
import { DEVICES } from './vendor.ts'

const FLEET = 2000

/** SQL for a deterministic pseudo-random number below `m`, derived from device `n` and a letter. */
const roll = (letter: string, m: number, n = 'n') =>
  sql.raw(`(('x' || substr(md5(${n}::text || '${letter}'), 1, 7))::bit(28)::int % ${m})`)
const texts = (...list: string[]) => sql.raw(`(array[${list.map((text) => `'${text}'`).join(', ')}])`)

const PLACES = texts('前台', '大门', '仓库', '会议室', '停车场', '走廊', '电梯厅', '收银台', '展厅', '机房')
const REGIONS = texts(
  '浙江省杭州市',
  '广东省深圳市',
  '江苏省苏州市',
  '四川省成都市',
  '山东省青岛市',
  '湖北省武汉市',
  '福建省厦门市',
)
const TAGS = texts('样机', '展厅', '重点客户', '室外', '内测')
/** Cumulative percentage of the devices of each tenant, larger tenants first. The vendor keeps the rest. */
const SHARES = sql.raw(`(array[22, 40, 54, 65, 74, 81, 87, 91, 94, 97])`)

/** Creates device types and models. */
export async function seedDemoModels(demo: Demo) {
  for (const [typeName, typeCode, list] of DEVICES) {
    let typeId: number | undefined
    for (const [modelName, code] of list) {
      const type = typeId === undefined ? { typeName, typeCode } : { typeId }
      const input = QuickModelInput.parse({ modelName, modelCode: code, ...type })
      const what = { name: 'quickCreate', ...deviceModels.quickCreate }
      typeId = (await runCall(demo, what, input, createModelQuickly)).typeId
    }
  }
}

/**
 * Creates two thousand devices of the demo tenants and their App users, with version history, attributes, packages and groups. Most
 * are up to date, some are behind, a few were never switched on. Uses six statements, independent of the number.
 */
export async function seedDemoFleet({ db, actor }: Demo) {
  await addDevices(db, actor.user.uid)
  await addReportedData(db)
  await addGroups(db)
  await addSamples(db)
}

async function addDevices(db: Db, uid: number) {
  await db.execute(sql`insert into devices (tenant_id, model_id, sn, dev_name, mac, imei, ver_code, os_ver, app_ver, hw_ver,
      ip, region, tags, status, online, last_online_time, activate_time, warranty_end, token_hash, attributes_wanted, app_account_id, owner_time, create_by, update_by, create_time, update_time)
    select tenant, model, sn, name, mac, imei, ver, os, app, hw, ip, region, tags, status,
      case when status = 1 and activated is not null and ${roll('o', 100)} < 64 then 1 else 0 end,
      case when activated is null then null when ${roll('o', 100)} < 64 then now() - ${roll('l', 280)} * interval '1 second'
        else greatest(activated, now() - (1 + ${roll('l', 900)}) * interval '1 hour') end,
      activated, (created + interval '2 years')::date, case when ${roll('k', 10)} < 7 then sha256(convert_to('demo' || sn, 'UTF8')) end,
      0, owner.uid, case when owner.uid > 0 then activated end, ${uid}::int, ${uid}::int, created, created
    from (
      select n, row_number() over (partition by coalesce(t.id, 1) order by n) as at, coalesce(t.id, 1) as tenant, m.id as model,
        m.model_code || '25' || lpad((1 + ${roll('w', 52)})::text, 2, '0') || lpad(n::text, 6, '0') as sn,
        ${PLACES}[1 + ${roll('p', 10)}] || ' ' || (1 + ${roll('f', 12)}) || ' 层' as name,
        '1c2f' || lpad(to_hex(n * 7919), 8, '0') as mac,
        case when m.model_code = 'G1' then '86' || lpad((n * 104729::bigint)::text, 13, '0') else '' end as imei,
        (m.place + 1) * 1000 + 100 * (1 + case when ${roll('v', 100)} < 66 then 2 when ${roll('v', 100)} < 90 then 1 else 0 end) as ver,
        'Linux 5.10.' || (100 + ${roll('s', 60)}) as os, '3.' || ${roll('a', 6)} || '.0' as app, 'V1.' || ${roll('h', 4)} as hw,
        '203.0.113.' || (1 + ${roll('i', 254)}) as ip, ${REGIONS}[1 + ${roll('r', 7)}] as region,
        case when ${roll('g', 100)} < 55 then '{}'::text[] when ${roll('g', 100)} < 90 then array[${TAGS}[1 + ${roll('t', 5)}]]
          else array[${TAGS}[1 + ${roll('t', 2)}], ${TAGS}[3 + ${roll('u', 3)}]] end as tags,
        case when ${roll('d', 100)} < 3 then 0 else 1 end as status,
        now() - (400 - n * 0.19) * interval '1 day' as created,
        case when ${roll('c', 100)} >= 8 then now() - (400 - n * 0.19) * interval '1 day' + (1 + ${roll('c', 15)}) * interval '1 day' end as activated
      from generate_series(1, ${sql.raw(String(FLEET))}) n
      join (select id, model_code, row_number() over (order by id) - 1 as place, count(*) over () as models
        from device_models where deleted_at is null) m on m.place = ${roll('m', 1000)} % m.models
      left join (select id, row_number() over (order by id) as rank from tenants where id > 1 and deleted_at is null) t
        on t.rank = (select min(i) from generate_series(1, 10) i where ${SHARES}[i] > ${roll('q', 100)})
    ) d
    -- Four of five devices have an App user; some users have several devices.
    left join (select uid, tenant_id, row_number() over w as at, count(*) over (partition by tenant_id) as many
      from app_accounts window w as (partition by tenant_id order by uid)) owner
      on owner.tenant_id = d.tenant and owner.at = 1 + (d.at * 7) % owner.many and d.at % 5 <> 0
    order by n`)
  await db.execute(sql`update devices set ver_code = null, os_ver = '', app_ver = '', ip = '', region = '', attributes_wanted = 1
    where activate_time is null or activate_time > now()`)
}

/** Creates the version history since the activation, the attributes and the installed packages of each device. */
async function addReportedData(db: Db) {
  await db.execute(sql`insert into device_versions (device_id, ver_code, source, create_time)
    select d.id, d.ver_code / 1000 * 1000 + 100 * step, case when step = 1 then 1 else 2 end,
      greatest(d.activate_time + (step - 1) * (now() - d.activate_time) / 3.0, v.release_date)
    from devices d cross join generate_series(1, 3) step
    left join ota_versions v on v.model_id = d.model_id and v.kind = 1 and v.ver_code = d.ver_code / 1000 * 1000 + 100 * step
    where d.ver_code is not null and 100 * step <= d.ver_code % 1000 order by 4, 1`)
  await db.execute(sql`insert into device_attributes (device_id, data, update_time)
    select id, jsonb_build_object('hw.revision', hw_ver, 'os.services', os_ver, 'net.type', case when imei <> '' then '4G' else 'Wi-Fi' end,
      'net.rssi', (-40 - id % 45)::text || ' dBm', 'storage.free', (200 + id * 37 % 5000)::text || ' MB', 'time.zone', 'Asia/Shanghai',
      'boot.slot', case when id % 2 = 0 then 'A' else 'B' end), coalesce(last_online_time, activate_time)
    from devices where ver_code is not null and id % 20 > 0`)
  await db.execute(sql`insert into device_packages (device_id, package_name, ver_code, update_time)
    select d.id, p.name, p.base + d.id % 4, coalesce(d.last_online_time, d.activate_time)
    from devices d join device_models m on m.id = d.model_id
    cross join (values ('com.oms.player', 310, 'P'), ('com.oms.launcher', 120, 'P'), ('com.oms.voice', 205, 'S')) as p(name, base, line)
    where d.ver_code is not null and left(m.model_code, 1) = p.line`)
}

async function addGroups(db: Db) {
  await db.execute(sql`with made as (
      insert into device_groups (tenant_id, group_name, kind, rule, description)
      select t.id, g.name, g.kind, g.rule::jsonb, g.description
      from tenants t cross join (values
        ('总部', 1, null, '总部园区内的设备'), ('门店', 1, null, '各地门店的设备'), ('备用机', 1, null, '仓库中待替换的设备'),
        ('样机与内测', 2, '{"tags":["样机","内测"]}', '带“样机”或“内测”标签的设备，自动加入')) as g(name, kind, rule, description)
      where t.deleted_at is null order by t.id returning id, tenant_id, group_name)
    insert into device_group_members (group_id, device_id)
    select made.id, d.id from made join devices d on d.tenant_id = made.tenant_id
    where made.group_name = case when d.id % 20 < 8 then '总部' when d.id % 20 < 17 then '门店' when d.id % 20 = 17 then '备用机' end`)
}

/**
 * Creates the samples of online devices that the scheduled job would have written: by hour for a day, by day for
 * ninety days. Numbers are lower at night and on weekends and grow slowly.
 */
async function addSamples(db: Db) {
  await db.execute(sql`
    with fleet as (
      select coalesce(tenant_id, 0) as tenant_id, count(*) as devices, count(*) filter (where online = 1) as online
      from devices where deleted_at is null group by grouping sets ((), (tenant_id))),
    hours as (
      select 1::smallint as span, h as start,
        0.72 + 0.26 * sin((extract(hour from h) - 8) / 24.0 * 2 * pi()) + 0.02 * (extract(hour from h)::int % 3) as share
      from generate_series(date_trunc('hour', now()) - interval '47 hours', date_trunc('hour', now()) - interval '1 hour',
        '1 hour') h),
    days as (
      select 2::smallint as span, d as start,
        (0.62 + 0.36 * (90 - extract(day from date_trunc('day', now()) - d)) / 90.0)
          * case when extract(isodow from d) >= 6 then 0.93 else 1 end as share
      from generate_series(date_trunc('day', now()) - interval '89 days', date_trunc('day', now()) - interval '1 day',
        '1 day') d)
    insert into fleet_samples (span, start, tenant_id, devices, online)
    select span, start, tenant_id, devices, round(online * least(1, share))::int
    from fleet, (select * from hours union all select * from days) s`)
}
