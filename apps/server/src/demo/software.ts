import { software, SoftwareCreateInput } from '@oms/contract/upgrade/software.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { disableVersion, enableVersion } from '#modules/upgrade/versions/version-enable.ts'
import { SOFTWARE_KIND } from '#modules/upgrade/artifact-kind.ts'
import { createVersion } from '#modules/upgrade/versions/version-save.ts'
import { type Actor, runAsActor } from '#core/auth/system-actor.ts'
import { isoDateTime, uploadComponents } from './firmware.ts'
import { addLogs, addStages } from './releases.ts'
import { createRandom } from './vendor.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Apps by model with the lowest version on devices. Devices run four successive versions (`fleet.ts`). */
const APPS = [
  ['P21', 'com.oms.player', '广告播放器', 310],
  ['P43', 'com.oms.player', '广告播放器', 310],
  ['P21', 'com.oms.launcher', '桌面', 120],
  ['S1', 'com.oms.voice', '语音助手', 205],
  ['S2', 'com.oms.voice', '语音助手', 205],
] as const

/** Versions above the lowest: difference, state (enabled, disabled or draft) and release notes. */
const LINE = [
  [1, 'off', '首个正式版本'],
  [4, 'on', '修复播放列表切换时的黑屏；优化内存占用'],
  [6, 'draft', '新增定时开关屏；支持 4K 素材'],
] as const

/** Creates versions of each App: an old version disabled, the current enabled, the newest a draft. */
export async function seedDemoSoftware(services: Services, demo: Actor, db: Db) {
  const { rows } = await db.execute<{ id: number; code: string }>(
    sql`select id, model_code as code from device_models where deleted_at is null`,
  )
  const idOf = new Map(rows.map(({ id, code }) => [code, id]))
  for (const [place, [code, packageName, name, lowest]] of APPS.entries())
    for (const [step, [more, status, description]] of LINE.entries()) {
      const modelId = idOf.get(code)!
      const version = {
        modelId,
        packageName,
        name,
        lowest,
        verCode: lowest + more,
        description,
        seed: place * 10 + step,
      }
      const otaId = await addVersion(services, demo, version)
      const one = { otaId }
      if (status === 'draft') continue
      await runAsActor(services, demo, { name: 'enable', ...software.enable, input: one, outside: true }, (ctx) =>
        enableVersion(ctx, SOFTWARE_KIND, one),
      )
      if (status === 'off')
        await runAsActor(services, demo, { name: 'disable', ...software.disable, input: one }, (ctx) =>
          disableVersion(ctx, SOFTWARE_KIND, one),
        )
    }
  await seedDemoSoftwareReleases(db, demo.user.uid)
}

interface Version {
  readonly modelId: number
  readonly packageName: string
  readonly name: string
  readonly lowest: number
  readonly verCode: number
  readonly description: string
  readonly seed: number
}

async function addVersion(services: Services, demo: Actor, version: Version) {
  const { modelId, packageName, name, lowest, verCode, description, seed } = version
  const number = [Math.floor(verCode / 100), Math.floor(verCode / 10) % 10, verCode % 10].join('.')
  const released = new Date(services.now().getTime() - (40 - 3 * (verCode - lowest)) * DAY_MS)
  const random = createRandom(7000 + seed)
  const bytes = Buffer.from(Array.from({ length: 12 * 1024 + random(8192) }, () => random(256)))
  const input = SoftwareCreateInput.parse({
    otaVersion: {
      modelId,
      packageName,
      verCode: String(verCode),
      verName: `${name} ${number}`,
      buildDate: isoDateTime(new Date(released.getTime() - 2 * DAY_MS)),
      releaseDate: isoDateTime(released),
      description,
      ...(verCode > lowest && { oldVerMin: String(lowest), oldVerMax: String(verCode - 1) }),
    },
    components: await uploadComponents(services, demo, software.upload, [
      ['安装包', 3, `${packageName}-${number}.apk`, bytes],
    ]),
  })
  const what = { name: 'create', ...software.create, input }
  const { otaId } = await runAsActor(services, demo, what, (ctx) => createVersion(ctx, SOFTWARE_KIND, input))
  return otaId
}

/** Formal releases by model and package: percentage in hundredths. */
const RELEASES = sql.raw(
  `(values ('P21', 'com.oms.player', 5000), ('S2', 'com.oms.voice', 10000)) as r(model, package, share)`,
)
/** SQL for a number below 100 that decides the task state of each device. */
const ROLL = sql.raw(`(('x' || substr(md5(d.id::text || 'app'), 1, 7))::bit(28)::int % 100)`)

/** Creates a staged release of one App and a full release of another, with the tasks of their devices. */
async function seedDemoSoftwareReleases(db: Db, uid: number) {
  await db.execute(sql`insert into ota_policies (ota_id, tenant_id, mode, state, percent, timeout_minutes, start_time,
      submit_by, submit_time, create_by, update_by)
    select v.ota_id, v.tenant_id, 2, 0, r.share, 10080, now() - interval '9 days', ${uid}::int, now() - interval '9 days', ${uid}::int, ${uid}::int
    from ${RELEASES} join device_models m on m.model_code = r.model
    join ota_versions v on v.model_id = m.id and v.kind = 2 and v.package_name = r.package and v.status = 1 and v.deleted_at is null
    on conflict (ota_id) do update set mode = 2, percent = excluded.percent, timeout_minutes = excluded.timeout_minutes,
      start_time = excluded.start_time, submit_by = excluded.submit_by, submit_time = excluded.submit_time`)
  await addStages(db, 2)
  await db.execute(sql`insert into ota_tasks (ota_id, device_id, tenant_id, model_id, package_name, from_ver_code, ver_code, state,
      progress, reason, create_time, update_time, close_time)
    select ota_id, device_id, tenant_id, model_id, package_name, from_ver, ver_code, state,
      case state when 20 then 5 + roll when 40 then 85 when 100 then 100 when 110 then 60 else 0 end,
      case when state = 110 then 'INSTALL_FAILED_INSUFFICIENT_STORAGE' else '' end,
      at - interval '10 minutes', at, case when state >= 100 then at end
    from (
      select p.ota_id, d.id as device_id, d.tenant_id, d.model_id, v.package_name, k.ver_code as from_ver, v.ver_code, ${ROLL} as roll,
        case when 100 * ${ROLL} < 0.8 * p.percent then 100 when ${ROLL} % 7 = 0 then 110
          when ${ROLL} % 3 = 0 then 40 else 20 end as state,
        now() - case when 100 * ${ROLL} < 0.8 * p.percent or ${ROLL} % 7 = 0 then (1 + ${ROLL}) * interval '90 minutes'
          else (1 + ${ROLL}) * interval '20 seconds' end as at
      from ota_policies p join ota_versions v on v.ota_id = p.ota_id and v.kind = 2
      join device_packages k on k.package_name = v.package_name and k.ver_code between v.old_ver_min and v.old_ver_max
      join devices d on d.id = k.device_id and d.model_id = v.model_id and d.status = 1 and d.online = 1 and d.deleted_at is null
      where p.mode = 2 and 100 * ${ROLL} < p.percent
    ) t order by at`)
  await db.execute(sql`update device_packages k set ver_code = t.ver_code, update_time = t.close_time
    from ota_tasks t where t.device_id = k.device_id and t.package_name = k.package_name and t.state = 100`)
  await addLogs(db)
}
