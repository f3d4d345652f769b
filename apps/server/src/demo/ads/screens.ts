import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

const TENANTS = 4
const SCREENS_OF_TENANT = 75

/**
 * Creates 300 screens on activated devices of the four largest tenants: most report now, 12 are silent, 5 fail a file. The
 * screens were paired 45 days ago, or when their device was created. The audience factors are 1 to 3.
 */
export async function seedDemoScreens(db: Db) {
  await db.execute(sql`
    with largest as (
      select tenant_id from devices where deleted_at is null and tenant_id > 1
      group by 1 order by count(*) desc, 1 limit ${TENANTS}),
    chosen as (
      select id, tenant_id, create_time, row_number() over (order by tenant_id, id) as n from (
        select id, tenant_id, create_time, row_number() over (partition by tenant_id order by id) as place
        from devices where deleted_at is null and status = 1 and activate_time <= now()
          and tenant_id in (select tenant_id from largest)) as d
      where place <= ${SCREENS_OF_TENANT})
    insert into ad_screens (device_id, tenant_id, player_kind, player_version, width, height, codecs, ready_files,
      total_files, failed, free_bytes, clock_offset_ms, clock_state, last_report_time, audience_factor, create_time)
    select id, tenant_id, case when n % 10 = 0 then 2 else 1 end, '1.0.0',
      case when n % 7 = 0 then 1080 else 1920 end, case when n % 7 = 0 then 1920 else 1080 end,
      array['avc1', 'vp9'], 6, 6,
      case when n % 60 = 1 then '[{"sha256": "", "reason": "文件校验失败"}]'::jsonb else '[]'::jsonb end,
      (2 + n % 30)::bigint * 1073741824, (n % 9) * 120, 1,
      now() - case when n % 25 = 3 then interval '9 hours' else (n % 50) * interval '1 second' end, 1 + n % 5 * 0.5,
      greatest(create_time, now() - interval '45 days')
    from chosen on conflict do nothing`)
}
