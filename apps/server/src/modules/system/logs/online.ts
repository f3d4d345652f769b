import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { logs } from '@oms/contract/system/log.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { accounts, sessions } from '#core/schema/account.ts'
import { loginLogs } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { clearSessionsAfterCommit } from '#modules/account/account-actions.ts'
import { addChangeRefusals, assertMayChangeOtherAccount } from '#modules/account/account-guard.ts'
import { isOpenAccountSession } from '#modules/account/open-sessions.ts'
import type { Ctx } from '#core/http/context.ts'
import { locateIp } from '#core/http/request-log.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import { contains, buildSort, paginate } from '#core/database/lists/list-query.ts'

const FORCED_OUT = 4

export async function listOnlineSessions(ctx: Ctx, { account, ip, ...input }: ParsedOf<typeof logs.online>) {
  const { db, user } = ctx
  const rows = db
    .select({
      sessionId: sessions.id,
      uid: sessions.uid,
      account: accounts.account,
      realname: accounts.realname,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      ip: sessions.ip,
      browser: sessions.browser,
      os: sessions.os,
      loginTime: sessions.loginTime,
      lastActiveTime: sessions.lastActiveTime,
      console: sql<boolean>`${sessions.cookieHash} is not null`,
    })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.uid, sessions.uid))
    .leftJoin(tenants, eq(tenants.id, accounts.tenantId))
    .where(and(isOpenAccountSession(ctx), contains(accounts.account, account), contains(sessions.ip, ip)))
    .$dynamic()
  const columns = { lastActiveTime: sessions.lastActiveTime, loginTime: sessions.loginTime }
  const newest = [sql`${sessions.lastActiveTime} desc`, sql`${sessions.id} desc`]
  const page = await paginate(db, rows, input, buildSort(input, columns, sessions.id, newest))
  return {
    ...page,
    list: (await addChangeRefusals(ctx, page.list)).map((row) => ({
      ...row,
      location: locateIp(row.ip),
      current: row.sessionId === user.sessionId,
    })),
  }
}

export const endSession = (ctx: Ctx, { sessionId }: ParsedOf<typeof logs.forceOut>) => endAll(ctx, [sessionId])
export const endSessions = (ctx: Ctx, { ids }: ParsedOf<typeof logs.forceOutMany>) => endAll(ctx, ids)

/** Ends sessions in every process and writes a login log row for each. */
async function endAll(ctx: Ctx, ids: readonly string[]) {
  const { db, user, services } = ctx
  if (ids.includes(user.sessionId)) throw refused('不能强制下线当前会话')
  const chosen = await db
    .select({ session: sessions, account: accounts.account, tenantId: accounts.tenantId })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.uid, sessions.uid))
    .where(and(inArray(sessions.id, [...ids]), isOpenAccountSession(ctx)))
  if (chosen.length === 0) throw notFound('会话')
  const others = new Set(chosen.flatMap(({ session: { uid } }) => (uid === user.uid ? [] : [uid])))
  for (const uid of others) await assertMayChangeOtherAccount(ctx, { uid })
  const ended = await services.sessions.end(
    db,
    chosen.map(({ session }) => session.id),
    'forced',
  )
  clearSessionsAfterCommit(ctx)
  await db.insert(loginLogs).values(
    chosen.map(({ session, account, tenantId }) => ({
      account,
      tenantId,
      uid: session.uid,
      loginType: FORCED_OUT,
      ip: session.ip,
      browser: session.browser,
      os: session.os,
      userAgent: session.userAgent,
      msg: `被${user.account}强制下线`,
    })),
  )
  ctx.audit({
    bizType: 'account',
    records: [...Map.groupBy(chosen, ({ session }) => session.uid)].map(([uid, own]) => ({
      id: uid,
      action: `强制下线：${own[0]!.account}`,
      input: { ids: own.map(({ session }) => session.id) },
    })),
  })
  return { ended }
}
