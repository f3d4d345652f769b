import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { runAsActor } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { type ArtifactKind, FIRMWARE_KIND, SOFTWARE_KIND } from '#modules/upgrade/artifact-kind.ts'
import { signForRelease } from '#modules/upgrade/versions/signing.ts'
import { formatVersionName } from '#modules/upgrade/versions/version.ts'
import { files } from '#core/schema/system.ts'
import { otaComponents, otaPolicies, otaVersions } from '#modules/upgrade/schema.ts'
import { DAY_MS, type Demo } from './call.ts'
import { storeFile } from './media.ts'
import { DEMO_FIXES, VERSIONS_PER_MODEL } from './vendor.ts'

/** Makes the oldest version older than the oldest device of the demo. */
const DAYS_BETWEEN_VERSIONS = 110
const DRAFT = 0
const ENABLED = 1
const DISABLED = 2

/** Apps by model with the lowest version on devices. Devices run four successive versions (`device.ts`). */
const APPS = [
  ['P21', 'com.oms.player', '广告播放器', 310],
  ['P43', 'com.oms.player', '广告播放器', 310],
  ['P21', 'com.oms.launcher', '桌面', 120],
  ['S1', 'com.oms.voice', '语音助手', 205],
  ['S2', 'com.oms.voice', '语音助手', 205],
] as const

/** Versions above the lowest: difference, state and release notes. */
const LINE = [
  [1, DISABLED, '首个正式版本'],
  [4, ENABLED, '修复播放列表切换时的黑屏；优化内存占用'],
  [6, DRAFT, '新增定时开关屏；支持 4K 素材'],
] as const

/**
 * Creates for each model several versions of the firmware, and of the Apps of some models: old versions disabled, the
 * current enabled, the newest a draft. The versions of a kind are inserted together.
 */
export async function seedDemoVersions(demo: Demo) {
  const { services, db } = demo
  const { rows } = await db.execute<Model>(
    sql`select id, model_code as code from device_models where deleted_at is null order by id`,
  )
  const firmware = rows.flatMap((model, place) =>
    Array.from({ length: VERSIONS_PER_MODEL }, (_, step) => firmwareOf(services, model, place, step)),
  )
  await addVersions(demo, { artifact: FIRMWARE_KIND, planned: firmware })
  const idByCode = new Map(rows.map(({ id, code }) => [code, id]))
  const apps = APPS.flatMap(([code, packageName, name, lowest]) =>
    LINE.map(([more, status, description]) => ({
      modelId: idByCode.get(code)!,
      packageName,
      status,
      description,
      ...appVersionOf(services, { packageName, name, lowest, verCode: lowest + more }),
    })),
  )
  await addVersions(demo, { artifact: SOFTWARE_KIND, planned: apps })
}

interface Model extends Record<string, unknown> {
  readonly id: number
  readonly code: string
}

/** Name, type, file name and bytes of a component. */
type Part = readonly [name: string, type: number, fileName: string, bytes: Buffer]

interface NewVersion {
  readonly modelId: number
  readonly packageName?: string
  readonly verCode: number
  readonly verName: string
  readonly description: string
  readonly status: number
  readonly oldVerMin?: number
  readonly oldVerMax?: number
  readonly released: Date
  readonly parts: readonly Part[]
}

/** Returns the same bytes for the same text. */
const bytesOf = (text: string, outputLength: number) => createHash('shake256', { outputLength }).update(text).digest()

function firmwareOf({ now }: Services, { id: modelId, code }: Model, place: number, step: number): NewVersion {
  const verCode = (place + 1) * 1000 + (step + 1) * 100
  const description = DEMO_FIXES[DEMO_FIXES.length - 1 - step]!
  const file = `${code.toLowerCase()}-${1 + place}.${step}.0`
  const parts = [
    ['固件包', 2, `${file}.bin`, bytesOf(file, 24 * 1024 + step * 1500 + place * 300)],
    ['版本说明', 1, `${file}.txt`, Buffer.from(`${code} 版本说明\n${description}\n`)],
  ] as const
  return {
    modelId,
    verCode,
    verName: `${code} ${1 + place}.${step}.0`,
    description,
    status: step === 0 ? DISABLED : step === VERSIONS_PER_MODEL - 1 ? DRAFT : ENABLED,
    ...(step > 0 && { oldVerMin: verCode - step * 100, oldVerMax: verCode - 100 }),
    released: new Date(now().getTime() - ((VERSIONS_PER_MODEL - step) * DAYS_BETWEEN_VERSIONS - place * 2) * DAY_MS),
    parts: step % 2 === 0 ? parts : parts.slice(0, 1),
  }
}

interface AppVersion {
  readonly packageName: string
  readonly name: string
  readonly lowest: number
  readonly verCode: number
}

function appVersionOf({ now }: Services, { packageName, name, lowest, verCode }: AppVersion) {
  const number = [Math.floor(verCode / 100), Math.floor(verCode / 10) % 10, verCode % 10].join('.')
  const file = `${packageName}-${number}.apk`
  return {
    verCode,
    verName: `${name} ${number}`,
    ...(verCode > lowest && { oldVerMin: lowest, oldVerMax: verCode - 1 }),
    released: new Date(now().getTime() - (40 - 3 * (verCode - lowest)) * DAY_MS),
    parts: [['安装包', 3, file, bytesOf(file, 12 * 1024 + (verCode % 8) * 1000)]] as const,
  }
}

interface NewVersions {
  readonly artifact: ArtifactKind
  readonly planned: readonly NewVersion[]
}

/** Inserts versions with components, signed manifests, test releases and operation logs, as if the demo account had enabled them. */
async function addVersions({ services, db, actor }: Demo, { artifact, planned }: NewVersions) {
  const { uid } = actor.user
  const owner = { uid, tenantId: PLATFORM_TENANT_ID }
  const stored = await Promise.all(
    planned.map(({ parts }) =>
      Promise.all(
        parts.map(([, , name, bytes]) =>
          storeFile(services, owner, { purpose: 'component', name, mime: 'application/octet-stream' }, bytes),
        ),
      ),
    ),
  )
  await db.insert(files).values(stored.flat())
  const enabledBy = { enableTime: services.now().toISOString(), enableBy: uid }
  const versions = await db
    .insert(otaVersions)
    .values(
      planned.map(({ released, parts, ...columns }) => ({
        ...columns,
        ...(columns.status !== DRAFT && enabledBy),
        kind: artifact.kind,
        tenantId: PLATFORM_TENANT_ID,
        components: parts.length,
        buildDate: isoDateTime(new Date(released.getTime() - 3 * DAY_MS)),
        releaseDate: isoDateTime(released),
        createBy: uid,
        updateBy: uid,
      })),
    )
    .returning()
  const components = await db
    .insert(otaComponents)
    .values(
      versions.flatMap(({ otaId }, at) =>
        planned[at]!.parts.map(([name, type], sort) => {
          const { id: fileId, name: fileName, size, md5, sha1, sha256 } = stored[at]![sort]!
          return { otaId, sort, name, type, fileId, fileName, url: formatFileUrl(fileId), size, md5, sha1, sha256 }
        }),
      ),
    )
    .returning()
  const enabled = versions.filter(({ status }) => status !== DRAFT)
  const disabled = versions.filter(({ status }) => status === DISABLED)
  const componentsById = Map.groupBy(components, ({ otaId }) => otaId)
  const signer = { services, user: actor.user, now: services.now() }
  for (const version of enabled) await signForRelease(signer, db, version, componentsById.get(version.otaId)!)
  await db.insert(otaPolicies).values(
    enabled.map(({ otaId, tenantId, status }) => ({
      otaId,
      tenantId,
      ...(status === DISABLED && { state: 4, stateReason: '版本已停用' }),
      createBy: uid,
      updateBy: uid,
    })),
  )
  const steps = [
    ['create', '新增', versions],
    ['enable', '启用', enabled],
    ['disable', '停用', disabled],
  ] as const
  for (const [name, verb, done] of steps)
    await runAsActor(services, actor, { name, ...artifact.calls[name], input: {} }, async ({ audit }) =>
      audit({
        bizType: artifact.bizType,
        records: done.map((each) => ({ id: each.otaId, action: `${verb}${artifact.noun}${formatVersionName(each)}` })),
      }),
    )
}

const isoDateTime = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ')

/** Formal releases of the demo by model: percentage in hundredths, state and reason. */
const FIRMWARE_RELEASES = sql.raw(`(values ('C30', 10000, 0, ''), ('C10', 5000, 0, ''), ('S2', 10000, 0, ''),
  ('D7', 1000, 3, '失败率 7.1% 超过 5%，已自动暂停')) as r(model, share, state, reason)`)
/** SQL for a number below 100 that decides the task state of each device in a running release. */
const FIRMWARE_ROLL = sql.raw(`(('x' || substr(md5(d.id::text || 'task'), 1, 7))::bit(28)::int % 100)`)
const REASONS = sql.raw(
  `(array['Authentication of all signatures failed', '下载超时：连接中断', 'Not enough free space to extract image'])`,
)

/**
 * Creates releases of the newest enabled version of some models: for all devices, in the middle of its stages, and
 * paused by failures. Creates the tasks of devices that finished, run or failed.
 */
export async function seedDemoReleases({ db, actor }: Demo) {
  const { uid } = actor.user
  await db.execute(sql`insert into ota_policies (ota_id, tenant_id, mode, state, state_reason, percent, timeout_minutes, start_time,
      submit_by, submit_time, create_by, update_by)
    select v.ota_id, v.tenant_id, 2, r.state, r.reason, r.share, 10080, now() - interval '9 days', ${uid}::int, now() - interval '9 days', ${uid}::int, ${uid}::int
    from ${FIRMWARE_RELEASES} join device_models m on m.model_code = r.model
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
      select p.ota_id, d.id as device_id, d.tenant_id, d.model_id, v.ver_code, ${FIRMWARE_ROLL} as roll,
        case when d.ver_code = v.ver_code then v.ver_code - 100 else d.ver_code end as from_ver,
        case when d.ver_code = v.ver_code then 100 when p.state = 3 or ${FIRMWARE_ROLL} < 12 then 110
          when ${FIRMWARE_ROLL} < 30 then 20 when ${FIRMWARE_ROLL} < 45 then 40 when ${FIRMWARE_ROLL} < 60 then 30 else 0 end as state,
        now() - case when d.ver_code = v.ver_code or ${FIRMWARE_ROLL} < 12 then (1 + ${FIRMWARE_ROLL}) * interval '2 hours'
          else (1 + ${FIRMWARE_ROLL}) * interval '30 seconds' end as at
      from ota_policies p join ota_versions v on v.ota_id = p.ota_id
      join devices d on d.model_id = v.model_id and d.status = 1 and d.deleted_at is null
      where p.mode = 2 and v.kind = 1 and d.ver_code is not null and (d.ver_code = v.ver_code
        or d.online = 1 and d.ver_code between v.old_ver_min and v.old_ver_max
          and ${FIRMWARE_ROLL} < case when p.state = 3 then 20 else p.percent / 100 end)
    ) t order by at`)
  await addLogs(db)
}

/** Formal releases by model and package: percentage in hundredths. */
const APP_RELEASES = sql.raw(
  `(values ('P21', 'com.oms.player', 5000), ('S2', 'com.oms.voice', 10000)) as r(model, package, share)`,
)
/** SQL for a number below 100 that decides the task state of each device. */
const APP_ROLL = sql.raw(`(('x' || substr(md5(d.id::text || 'app'), 1, 7))::bit(28)::int % 100)`)

/** Creates a staged release of one App and a full release of another, with the tasks of their devices. */
export async function seedDemoAppReleases({ db, actor }: Demo) {
  const { uid } = actor.user
  await db.execute(sql`insert into ota_policies (ota_id, tenant_id, mode, state, percent, timeout_minutes, start_time,
      submit_by, submit_time, create_by, update_by)
    select v.ota_id, v.tenant_id, 2, 0, r.share, 10080, now() - interval '9 days', ${uid}::int, now() - interval '9 days', ${uid}::int, ${uid}::int
    from ${APP_RELEASES} join device_models m on m.model_code = r.model
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
      select p.ota_id, d.id as device_id, d.tenant_id, d.model_id, v.package_name, k.ver_code as from_ver, v.ver_code, ${APP_ROLL} as roll,
        case when 100 * ${APP_ROLL} < 0.8 * p.percent then 100 when ${APP_ROLL} % 7 = 0 then 110
          when ${APP_ROLL} % 3 = 0 then 40 else 20 end as state,
        now() - case when 100 * ${APP_ROLL} < 0.8 * p.percent or ${APP_ROLL} % 7 = 0 then (1 + ${APP_ROLL}) * interval '90 minutes'
          else (1 + ${APP_ROLL}) * interval '20 seconds' end as at
      from ota_policies p join ota_versions v on v.ota_id = p.ota_id and v.kind = 2
      join device_packages k on k.package_name = v.package_name and k.ver_code between v.old_ver_min and v.old_ver_max
      join devices d on d.id = k.device_id and d.model_id = v.model_id and d.status = 1 and d.online = 1 and d.deleted_at is null
      where p.mode = 2 and 100 * ${APP_ROLL} < p.percent
    ) t order by at`)
  await db.execute(sql`update device_packages k set ver_code = t.ver_code, update_time = t.close_time
    from ota_tasks t where t.device_id = k.device_id and t.package_name = k.package_name and t.state = 100`)
  await addLogs(db)
}

/** Creates stages. The active stage requires more reports than the demo has, so that no stage ends unexpectedly. */
async function addStages(db: Db, kind: 1 | 2) {
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
async function addLogs(db: Db) {
  await db.execute(sql`insert into ota_task_logs (task_id, state, execution, finished, details, create_time)
    select task_id, state, 'closed', case when state = 100 then 'success' else 'failure' end,
      array[case when state = 100 then 'Update Installed.' else reason end], close_time
    from ota_tasks t where close_time is not null and not exists (select from ota_task_logs l where l.task_id = t.task_id)`)
}
