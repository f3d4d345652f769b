import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { otaAlarms as calls } from '@oms/contract/upgrade/ota-signing.ts'
import { sql, and, eq, exists, desc, isNull } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import { writeOperation } from '#core/audit/operation-log.ts'
import type { Db } from '#core/database/client.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { Worker } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import { Digests } from '#core/storage/hash-pool.ts'
import { FileMissing, type FileStore } from '#core/storage/store.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { type ArtifactKind, FIRMWARE_KIND, SOFTWARE_KIND } from '../artifact-kind.ts'
import { describeRecall, recallRelease } from '../release.ts'
import { otaComponents, otaVersions, otaAlarms } from '../schema.ts'
import { formatVersionName, type StoredVersion, type StoredComponent, visibleVersionsOfKind } from './version.ts'

const DAY_MS = 24 * 60 * 60_000
/** Maximum duration of one run. The run ends before the next run is due, and the next run continues the pass. */
const AT_MOST_MS = 50 * 60_000
const NIGHT = { from: 1, to: 6 } as const
/** Minimum time between two passes, shorter than a week so that a pass starts in the same night of the next week. */
const DUE_MS = 6.5 * DAY_MS
/** Time after which a pass also runs by day, because no pass completed at night. */
const OVERDUE_MS = 8 * DAY_MS
/** Maximum read rate, low enough not to slow device downloads. */
const BYTES_PER_SECOND = 32 * 1024 * 1024
const BATCH = 50
const KEY = 'otaScrub'

/** Progress of a pass: the last verified content and the start time. Between two passes there is no cursor. */
interface Pass {
  readonly startedAt: string
  readonly cursor: string | null
  readonly checked: number
}

/**
 * Registers the weekly verification of everything that devices may download. One process runs the job and continues
 * after a restart.
 */
export function registerOtaScrub(services: Services) {
  const work: Worker = (_job, _progress, signal) => scrubWhenDue(services, signal)
  services.jobs.schedule('ota-scrub', work, {
    title: '每周核对组件文件',
    cron: '5 0 * * * *',
    timeLimitSeconds: 58 * 60,
  })
}

async function scrubWhenDue(services: Services, signal: AbortSignal) {
  const last = await readPass(services.database.db)
  return isScrubDue(services, last) ? verifyComponentFiles(services, { signal }) : { checked: 0 }
}

/**
 * True when a pass should run now: at night in the console's time zone if due or unfinished, at any hour if overdue.
 */
export function isScrubDue({ config, now }: Pick<Services, 'config' | 'now'>, last: Pass | undefined): boolean {
  const age = last ? now().getTime() - Date.parse(last.startedAt) : Number.POSITIVE_INFINITY
  const hour = Number(
    new Intl.DateTimeFormat('en', { timeZone: config.timeZone, hour: '2-digit', hourCycle: 'h23' }).format(now()),
  )
  const isNight = hour >= NIGHT.from && hour < NIGHT.to
  return isNight ? age > DUE_MS || Boolean(last?.cursor) : age > OVERDUE_MS
}

interface Options {
  readonly signal?: AbortSignal
  readonly bytesPerSecond?: number
  readonly atMostMs?: number
}

/**
 * Continues the pass after the last verified content. A read error fails the job after all other files are verified.
 */
export async function verifyComponentFiles(services: Services, options: Options = {}) {
  const { signal, bytesPerSecond = BYTES_PER_SECOND, atMostMs = AT_MOST_MS } = options
  const { db } = services.database
  const until = Date.now() + atMostMs
  const pace = paceOf(bytesPerSecond, signal)
  const stored = await readPass(db)
  let pass: Pass = stored?.cursor ? stored : { startedAt: services.now().toISOString(), cursor: null, checked: 0 }
  const unread: string[] = []
  let damaged = 0
  for (;;) {
    const batch = await contentsAfter(db, pass.cursor ?? '')
    for (const content of batch) {
      if (signal?.aborted || Date.now() > until)
        return { checked: pass.checked, damaged, unread: unread.length, more: true }
      const intact = await isIntact(services.files, content, pace).catch((error: unknown) => {
        signal?.throwIfAborted()
        services.log.error({ err: error, sha256: content.sha256 }, 'a component could not be read')
        return undefined
      })
      if (intact === undefined) unread.push(content.sha256)
      if (intact === false)
        damaged += await disableDamagedVersions(services, content).catch((error: unknown) => {
          services.log.error({ err: error, sha256: content.sha256 }, 'the versions of a damaged component stay enabled')
          unread.push(content.sha256)
          return 0
        })
      pass = { ...pass, cursor: content.sha256, checked: pass.checked + 1 }
      await writePass(db, pass)
    }
    if (batch.length < BATCH) break
  }
  await writePass(db, { ...pass, cursor: null })
  if (unread.length > 0) throw new Error(`${unread.length} component contents could not be read`)
  return { checked: pass.checked, damaged, unread: 0, more: false }
}

/** Returns the digests of the files of enabled versions, each file once, ordered by SHA-256. */
async function contentsAfter(db: Db, cursor: string): Promise<RecordedDigests[]> {
  const { rows } = await db.execute<RecordedDigests & Record<string, unknown>>(sql`
    select distinct on (c.sha256) c.sha256, c.sha1, c.md5, c.size::float8 as size
    from ota_components c join ota_versions v on v.ota_id = c.ota_id
    where v.status = 1 and v.deleted_at is null and c.sha256 > ${cursor}
    order by c.sha256, c.id limit ${BATCH}`)
  return rows
}

/** Returns a function that limits the average read rate. */
function paceOf(bytesPerSecond: number, signal: AbortSignal | undefined): ReadPacer {
  const from = performance.now()
  let bytes = 0
  return (more) => {
    signal?.throwIfAborted()
    bytes += more
    const ahead = (bytes / bytesPerSecond) * 1000 - (performance.now() - from)
    return ahead > 20 ? wait(ahead, undefined, { ...(signal && { signal }) }) : undefined
  }
}

async function readPass(db: Db): Promise<Pass | undefined> {
  const { rows } = await db.execute<{ value: Pass }>(sql`select value from settings where key = ${KEY}`)
  return rows[0]?.value
}

const writePass = (db: Db, pass: Pass) =>
  db.execute(sql`insert into settings (key, value) values (${KEY}, ${JSON.stringify(pass)}::jsonb)
    on conflict (key) do update set value = excluded.value, update_time = now()`)

const DAMAGED = 1
/** Account id of changes made by the system. */
const SYSTEM_UID = 0

/**
 * Disables every enabled version that contains this content, opens an alarm for each version and notifies the
 * responsible accounts.
 */
async function disableDamagedVersions(
  services: Services,
  { sha256 }: Pick<RecordedDigests, 'sha256'>,
): Promise<number> {
  return services.database.db.transaction(async (db) => {
    const parts = db
      .select({ id: otaComponents.id })
      .from(otaComponents)
      .where(and(eq(otaComponents.otaId, otaVersions.otaId), eq(otaComponents.sha256, sha256)))
    const versions = await db
      .select()
      .from(otaVersions)
      .where(and(eq(otaVersions.status, 1), notDeleted(otaVersions), exists(parts)))
      .orderBy(otaVersions.otaId)
      .for('update')
    for (const version of versions) await takeOff(services, db, version, sha256)
    return versions.length
  })
}

async function takeOff(services: Services, db: Db, version: StoredVersion, sha256: string) {
  const { otaId, tenantId } = version
  const artifact = version.kind === SOFTWARE_KIND.kind ? SOFTWARE_KIND : FIRMWARE_KIND
  const now = services.now()
  const [part] = await db
    .select({ name: otaComponents.name, fileName: otaComponents.fileName })
    .from(otaComponents)
    .where(and(eq(otaComponents.otaId, otaId), eq(otaComponents.sha256, sha256)))
  await db
    .update(otaVersions)
    .set({ status: 2, ...updateColumns(version, null, now) })
    .where(eq(otaVersions.otaId, otaId))
  const undone = describeRecall(await recallRelease(db, version, { uid: SYSTEM_UID, now }))
  const message = `${artifact.noun}${formatVersionName(version)}的组件「${part?.name}」文件已损坏或丢失，版本已自动停用${undone && `，${undone}`}`
  await db.insert(otaAlarms).values({
    tenantId,
    otaId,
    kind: DAMAGED,
    message: message.slice(0, 500),
    facts: { sha256, name: part?.name, fileName: part?.fileName },
    createTime: now.toISOString(),
  })
  await logged(db, artifact, version, message)
  await notifyResponsible(services, db, artifact, version, message)
  await services.events.publish(db, 'changed', { resource: 'device', tenantId })
}

/** Notifies the accounts of the tenant and of the vendor that may enable versions of this kind. */
async function notifyResponsible(
  services: Services,
  db: Db,
  { calls, noun }: ArtifactKind,
  { tenantId, verName }: StoredVersion,
  message: string,
) {
  const { access } = calls.enable
  const own = tenantId === PLATFORM_TENANT_ID ? [] : await listAccountsWithPermission(db, tenantId, access)
  const uids = [...own, ...(await listPlatformStaff(db, access, [tenantId]))]
  const text = `${message}。\n请重新上传组件并新增版本，并检查服务器的磁盘。`
  await sendMessage(services, db, { topic: 'upgrade', title: `${noun}文件损坏：${verName}`, text, uids, priority: 3 })
}

const logged = (db: Db, { calls, bizType }: ArtifactKind, version: StoredVersion, action: string) =>
  writeOperation(
    db,
    {
      name: 'disable',
      endpoint: { ...calls.disable, title: '每周核对组件文件' },
      request: {
        id: randomBytes(8).toString('hex'),
        ip: '',
        userAgent: '',
        method: calls.disable.method,
        url: '',
        header: () => undefined,
      },
      user: null,
      input: { otaId: version.otaId },
      note: {
        bizType,
        bizId: version.otaId,
        action,
        diff: listChanges({ status: '已启用' }, { status: '已停用' }, { status: '状态' }),
      },
      startedAt: performance.now(),
    },
    { ok: true, message: '' },
  )

type RecordedDigests = Pick<StoredComponent, 'sha256' | 'sha1' | 'md5' | 'size'>
/** Waits as long as reading this many bytes may take. Throws to abort the verification. */
type ReadPacer = (bytes: number) => Promise<void> | void

/**
 * Returns true when the stored bytes still have the size and digests recorded at upload. Reads all bytes; a worker
 * thread hashes large files, so that requests are served meanwhile.
 */
export async function isIntact(
  store: Pick<FileStore, 'openRead'>,
  recorded: RecordedDigests,
  pace: ReadPacer = () => {},
): Promise<boolean> {
  const digests = new Digests()
  try {
    for await (const chunk of await store.openRead(recorded.sha256)) {
      await digests.add(chunk as Buffer)
      await pace((chunk as Buffer).length)
    }
    const found = await digests.end()
    return (['size', 'sha256', 'sha1', 'md5'] as const).every((name) => found[name] === recorded[name])
  } catch (error) {
    digests.abandon()
    if (error instanceof FileMissing) return false
    throw error
  }
}

const open = (user: User, artifact: ArtifactKind) =>
  and(isNull(otaAlarms.closeTime), visibleVersionsOfKind(user, artifact))

/** Lists open alarms, newest first. */
export function listAlarms({ db, user }: Ctx, artifact: ArtifactKind, input: ParsedOf<typeof calls.list>) {
  const query = db
    .select({
      id: otaAlarms.id,
      otaId: otaAlarms.otaId,
      kind: otaAlarms.kind,
      message: otaAlarms.message,
      createTime: otaAlarms.createTime,
      verName: otaVersions.verName,
      verCode: otaVersions.verCode,
    })
    .from(otaAlarms)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaAlarms.otaId))
    .where(open(user, artifact))
    .$dynamic()
  return paginate(db, query, input, [desc(otaAlarms.id)])
}

/** Closes an alarm. The operation log records the account. */
export async function closeAlarm(ctx: Ctx, artifact: ArtifactKind, { id }: ParsedOf<typeof calls.close>) {
  const { db, user, now, services } = ctx
  const [alarm] = await db
    .select({ message: otaAlarms.message, version: otaVersions })
    .from(otaAlarms)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaAlarms.otaId))
    .where(and(eq(otaAlarms.id, id), open(user, artifact)))
    .for('update', { of: otaAlarms })
  if (!alarm) throw notFound('告警')
  await db.update(otaAlarms).set({ closeTime: now.toISOString(), closeBy: user.uid }).where(eq(otaAlarms.id, id))
  const { version, message } = alarm
  ctx.audit({
    bizType: artifact.bizType,
    bizId: version.otaId,
    action: `关闭${artifact.noun}${formatVersionName(version)}的告警：${message}`,
  })
  await services.events.publish(db, 'changed', { resource: 'device', tenantId: version.tenantId })
  return null
}
