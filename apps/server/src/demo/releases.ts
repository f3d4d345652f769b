import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/** Formal releases of the demo by model: percentage in hundredths, state and reason. */
const RELEASES = sql.raw(`(values ('C30', 10000, 0, ''), ('C10', 5000, 0, ''), ('S2', 10000, 0, ''),
  ('D7', 1000, 3, '失败率 7.1% 超过 5%，已自动暂停')) as r(model, share, state, reason)`)
/** SQL for a number below 100 that decides the task state of each device in a running release. */
const ROLL = sql.raw(`(('x' || substr(md5(d.id::text || 'task'), 1, 7))::bit(28)::int % 100)`)
const REASONS = sql.raw(
  `(array['Authentication of all signatures failed', '下载超时：连接中断', 'Not enough free space to extract image'])`,
)

/**
 * Creates releases of the newest enabled version of some models: for all devices, in the middle of its stages, and
 * paused by failures. Creates the tasks of devices that finished, run or failed.
 */
export async function seedDemoReleases(db: Db, uid: number) {
  await db.execute(sql`insert into ota_policies (ota_id, tenant_id, mode, state, state_reason, percent, timeout_minutes, start_time,
      submit_by, submit_time, create_by, update_by)
    select v.ota_id, v.tenant_id, 2, r.state, r.reason, r.share, 10080, now() - interval '9 days', ${uid}::int, now() - interval '9 days', ${uid}::int, ${uid}::int
    from ${RELEASES} join device_models m on m.model_code = r.model
    join ota_versions v on v.model_id = m.id and v.kind = 1 and v.status = 1 and v.ver_code % 1000 = 300 and v.deleted_at is null
    on conflict (ota_id) do update set mode = 2, state = excluded.state, state_reason = excluded.state_reason, percent = excluded.percent,
      timeout_minutes = excluded.timeout_minutes, start_time = excluded.start_time, submit_by = excluded.submit_by,
      submit_time = excluded.submit_time`)
  await addStages(db, 1)
  await db.execute(sql`insert into ota_tasks (ota_id, device_id, tenant_id, model_id, from_ver_code, ver_code, state, progress, reason,
      create_time, update_time, close_time)
    select ota_id, device_id, tenant_id, model_id, from_ver, ver_code, state,
      case state when 20 then 5 + roll when 40 then 80 + roll / 10 when 100 then 100 when 110 then 40 else 0 end,
      case when state = 110 then ${REASONS}[1 + roll % 3] else '' end,
      at - interval '40 minutes', at, case when state >= 100 then at end
    from (
      select p.ota_id, d.id as device_id, d.tenant_id, d.model_id, v.ver_code, ${ROLL} as roll,
        case when d.ver_code = v.ver_code then v.ver_code - 100 else d.ver_code end as from_ver,
        case when d.ver_code = v.ver_code then 100 when p.state = 3 or ${ROLL} < 12 then 110
          when ${ROLL} < 30 then 20 when ${ROLL} < 45 then 40 when ${ROLL} < 60 then 30 else 0 end as state,
        now() - case when d.ver_code = v.ver_code or ${ROLL} < 12 then (1 + ${ROLL}) * interval '2 hours'
          else (1 + ${ROLL}) * interval '30 seconds' end as at
      from ota_policies p join ota_versions v on v.ota_id = p.ota_id
      join devices d on d.model_id = v.model_id and d.status = 1 and d.deleted_at is null
      where p.mode = 2 and v.kind = 1 and d.ver_code is not null and (d.ver_code = v.ver_code
        or d.online = 1 and d.ver_code between v.old_ver_min and v.old_ver_max
          and ${ROLL} < case when p.state = 3 then 20 else p.percent / 100 end)
    ) t order by at`)
  await addLogs(db)
}

/** Creates stages. The active stage requires more reports than the demo has, so that no stage ends unexpectedly. */
export async function addStages(db: Db, kind: 1 | 2) {
  await db.execute(sql`insert into ota_stages (ota_id, seq, percent, min_reports, state, start_time, judge_time, succeeded, failed)
    select p.ota_id, s.seq, s.share, case when s.share < p.percent then 5 else 500 end,
      case when s.share < p.percent then 2 when s.share > p.percent then 0 when p.state = 3 then 3 else 1 end,
      case when s.share <= p.percent then now() - (9 - 2 * s.seq) * interval '1 day' end,
      case when s.share < p.percent or s.share = p.percent and p.state = 3 then now() - (8 - 2 * s.seq) * interval '1 day' end,
      case when s.share < p.percent or s.share = p.percent and p.state = 3 then 13 * s.seq end,
      case when s.share < p.percent then 0 when s.share = p.percent and p.state = 3 then 2 end
    from ota_policies p join ota_versions v on v.ota_id = p.ota_id and v.kind = ${kind}
      cross join (values (1, 100), (2, 1000), (3, 5000), (4, 10000)) as s(seq, share)
    where p.mode = 2 and p.percent < 10000`)
}

/** Writes the last log entry of every closed task. */
export async function addLogs(db: Db) {
  await db.execute(sql`insert into ota_task_logs (task_id, state, execution, finished, details, create_time)
    select task_id, state, 'closed', case when state = 100 then 'success' else 'failure' end,
      array[case when state = 100 then 'Update Installed.' else reason end], close_time
    from ota_tasks t where close_time is not null and not exists (select from ota_task_logs l where l.task_id = t.task_id)`)
}
