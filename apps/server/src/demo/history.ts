import { OPERATION } from '@oms/contract/core/endpoint.ts'
import { and, asc, isNull, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { loginLogs, operLogs } from '#core/schema/system.ts'
import { createRandom } from './vendor.ts'

const DAYS = 28
const ROWS_AT_ONCE = 300
const CLIENTS = [
  ['Chrome 142', 'Windows 10'],
  ['Edge 142', 'Windows 11'],
  ['Firefox 145', 'Ubuntu'],
  ['Safari 26', 'macOS'],
] as const
const DEEDS = [
  ['导出固件版本', OPERATION.export, 'GET', '/api/v1/device/ota/ver/export', '导出固件版本 40 行'],
  ['修改用户', OPERATION.edit, 'PUT', '/api/v1/tenant/user', '修改用户联系方式'],
  ['修改角色', OPERATION.edit, 'PUT', '/api/v1/tenant/role', '修改角色备注'],
  ['上传组件', OPERATION.add, 'POST', '/api/v1/device/ota/upload', '上传固件组件'],
  ['解锁账号', OPERATION.edit, 'POST', '/api/v1/tenant/user/unlock', '解锁账号'],
  ['导出用户', OPERATION.export, 'GET', '/api/v1/tenant/user/export', '导出用户 48 行'],
] as const

interface Person {
  readonly uid: number
  readonly account: string
  readonly tenantId: number | null
}

/** Moves records into the past and writes log entries for the last weeks. */
export async function createDemoHistory(db: Db) {
  const people = await db
    .select({ uid: accounts.uid, account: accounts.account, tenantId: accounts.tenantId })
    .from(accounts)
    .where(and(isNull(accounts.deletedAt)))
    .orderBy(asc(accounts.uid))
  await makeOlder(db)
  await insertAll(loginsOf(people), (rows) => db.insert(loginLogs).values(rows))
  await insertAll(deedsOf(people), (rows) => db.insert(operLogs).values(rows))
  await db.execute(sql`update accounts a set last_login_time = l.at, last_login_ip = l.ip, login_count = l.n
    from (select uid, max(login_time) as at, max(ip) as ip, count(*) as n from login_logs where status = 1 group by uid) l
    where l.uid = a.uid`)
}

/**
 * Ages of each table's rows in hours: the age of the newest row, and how much older the first row is. A record is
 * younger than the records that it needs: devices reach back 400 days, log entries 28 days.
 */
const AGES = [
  ['industries', 'id', 21_000, 500],
  ['scenes', 'id', 20_000, 900],
  ['device_types', 'id', 21_000, 900],
  ['device_models', 'id', 11_000, 8800],
  ['tenants', 'id', 10_000, 9000],
  ['roles', 'id', 9000, 900],
  ['accounts', 'uid', 800, 8000],
  ['notices', 'notice_id', 0, 600],
] as const

/** Moves rows created just now into the past, the first rows furthest. */
async function makeOlder(db: Db) {
  const older = (table: string, key: string, newest: number, span: number) => {
    const rank = `(1 - ${key}::float / (select max(${key}) + 1 from ${table}))`
    return sql.raw(`update ${table} set create_time = now() - make_interval(hours => (${newest} + ${span} * ${rank})::int),
      update_time = now() - make_interval(hours => (${newest} + ${span} / 3 * ${rank})::int)`)
  }
  for (const [table, key, newest, span] of AGES) await db.execute(older(table, key, newest, span))
  await db.execute(sql`update ota_versions set create_time = release_date - interval '1 day',
    update_time = release_date, enable_time = case when enable_time is not null then release_date end`)
  await db.execute(sql`update ota_policies set create_time = coalesce(submit_time, now()) - interval '1 hour'`)
  await db.execute(sql`update notices set publish_time = create_time where publish_time is not null`)
  await db.execute(sql`update oper_logs set oper_time = now() - make_interval(mins => (600 * 60 * (1 - oper_id::float
    / (select max(oper_id) + 1 from oper_logs)))::int)`)
}

/** Returns the SQL time of a minute of a working day before now. */
const before = (day: number, minute: number) =>
  sql`date_trunc('day', now()) - make_interval(days => ${day}) + make_interval(mins => ${minute})` as unknown as string

function loginsOf(people: readonly Person[]) {
  const random = createRandom(2026)
  return Array.from({ length: DAYS }, (_, day) => day + 1).flatMap((day) =>
    people
      .filter(() => random(10) < 6)
      .map(({ uid, account, tenantId }) => {
        const [browser, os] = CLIENTS[uid % CLIENTS.length]!
        const failed = random(14) === 0
        return {
          loginTime: before(day, 480 + random(560)),
          account,
          uid,
          tenantId,
          browser,
          os,
          ip: `10.8.${tenantId ?? 0}.${20 + (uid % 200)}`,
          userAgent: `Mozilla/5.0 (${os}) ${browser}`,
          status: failed ? 0 : 1,
          msg: failed ? '账号或密码错误' : '登录成功',
        }
      }),
  )
}

function deedsOf(people: readonly Person[]) {
  const random = createRandom(2027)
  return Array.from({ length: DAYS }, (_, day) => day + 1).flatMap((day) =>
    people
      .filter(({ tenantId }) => random(10) < (tenantId === 1 ? 8 : 2))
      .map(({ uid, account, tenantId }) => {
        const [title, businessType, requestMethod, operUrl, action] = DEEDS[random(DEEDS.length)]!
        const failed = random(25) === 0
        return {
          operTime: before(day, 490 + random(540)),
          uid,
          tenantId,
          operName: account,
          title,
          businessType,
          requestMethod,
          operUrl,
          action,
          operIp: `10.8.${tenantId ?? 0}.${20 + (uid % 200)}`,
          status: failed ? 0 : 1,
          jsonResult: failed ? '' : '操作成功',
          errorMsg: failed ? '您没有权限！' : '',
          costTime: 6 + random(90),
        }
      }),
  )
}

async function insertAll<R>(rows: readonly R[], insert: (rows: R[]) => PromiseLike<unknown>) {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) await insert(rows.slice(at, at + ROWS_AT_ONCE))
}
