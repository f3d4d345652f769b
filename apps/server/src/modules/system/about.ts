import { arch, release, type } from 'node:os'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { about as titleOf } from '@oms/contract/core/fields.ts'
import { ContactInput, type about as calls, type Release } from '@oms/contract/system/about.ts'
import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import type { Ctx } from '#core/http/context.ts'
import { buildFacts } from '#core/process/build-facts.ts'
import { wallClock } from '#core/schema/columns.ts'
import { settings } from '#core/schema/system.ts'

const KEY = 'aboutContact'
const TITLES = Object.fromEntries(
  Object.keys(ContactInput.shape).map((field) => [field, titleOf(ContactInput, field).title as string]),
)
/** Stored contact texts. Invalid stored values count as empty, so that the page still opens. */
const Stored = ContactInput.extend({ rev: z.int().catch(0), updateBy: z.int().nullable().catch(null) })

export async function getBuildFacts(ctx: Ctx) {
  const { version, build, licence } = buildFacts()
  const { rev, updateBy: _by, updateTime: _at, ...contact } = await readContact(ctx.db)
  return {
    product: '运营管理系统 OMS',
    version,
    build,
    licence: licence || '保留所有权利',
    ...(ctx.user.isPlatform ? await machine(ctx) : UNSAID),
    releases: RELEASES.map((each) => ({ ...each, changes: [...each.changes] })),
    contact: { ...contact, rev },
  }
}

/** Values shown to tenants instead of data about the server. */
const UNSAID = {
  node: '',
  platform: '',
  startTime: '',
  uptimeSeconds: 0,
  database: '',
  databaseKind: 'embedded',
  databaseBytes: 0,
  schemaVersion: '',
  storage: 'local',
  timeZone: '',
} as const

async function machine({ services }: Ctx) {
  const { config, database } = services
  const uptimeSeconds = Math.floor(process.uptime())
  const { rows } = await database.pool.query<{ started: string; version: string; bytes: number; schema: string }>(
    `select (now() - make_interval(secs => $1))::text as started, current_setting('server_version') as version,
       pg_database_size(current_database())::float8 as bytes,
       (select tag from schema_migrations order by position desc limit 1) as schema`,
    [uptimeSeconds],
  )
  const found = rows[0]
  return {
    node: `Node.js ${process.versions.node}`,
    platform: `${type()} ${release()} ${arch()}`,
    startTime: wallClock(found?.started ?? ''),
    uptimeSeconds,
    database: `PostgreSQL ${found?.version.split(' ')[0] ?? ''}`,
    databaseKind: database.embedded ? ('embedded' as const) : ('external' as const),
    databaseBytes: found?.bytes ?? 0,
    schemaVersion: found?.schema ?? '',
    storage: config.s3 ? ('s3' as const) : ('local' as const),
    timeZone: config.timeZone,
  }
}

export const listDependencies = () => ({ list: buildFacts().dependencies })

export async function updateAbout(ctx: Ctx, { rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user } = ctx
  await db.insert(settings).values({ key: KEY, value: {} }).onConflictDoNothing()
  const stored = await readContact(db, true)
  await checkRevision(db, stored, rev)
  const diff = listChanges(stored, input, TITLES)
  if (diff.length === 0) return { rev: stored.rev }
  const { updateTime: _at, ...before } = stored
  const value = { ...before, ...input, rev: stored.rev + 1, updateBy: user.uid }
  await db.update(settings).set({ value, updateTime: ctx.now.toISOString() }).where(eq(settings.key, KEY))
  ctx.audit({
    bizType: 'about',
    bizId: KEY,
    action: '修改关于我们的联系方式',
    diff,
  })
  return { rev: value.rev }
}

async function readContact(db: Db, lock = false) {
  const query = db.select().from(settings).where(eq(settings.key, KEY))
  const [row] = await (lock ? query.for('update') : query)
  const parsed = Stored.safeParse(row?.value ?? {})
  return { ...(parsed.success ? parsed.data : Stored.parse({})), updateTime: row?.updateTime ?? '' }
}

/** Release notes for users, newest first. Each release adds its entry here. */
const RELEASES: readonly z.output<typeof Release>[] = [
  {
    version: '0.1.0',
    date: '2026-11-20',
    changes: [
      '账号、角色、业务场景与菜单权限，权限变更即时生效',
      '设备固件版本：断点续传 300 MB 组件，启用前重新校验内容',
      '通知公告：定向发送、定时发布、撤回与阅读回执',
      '数据字典：修改后所有已打开页面即时更新',
      '操作日志、登录日志、在线用户与强制下线',
      '内置数据库与备份恢复，开箱即用',
    ],
  },
]
