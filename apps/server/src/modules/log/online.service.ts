import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { logs } from '@oms/contract/log.ts'
import { and, eq, gt, inArray, isNull, sql } from 'drizzle-orm'
import { accounts, sessions } from '#db/schema/account.ts'
import { loginLogs } from '#db/schema/system.ts'
import { tenants } from '#db/schema/tenant.ts'
import { forgetAfterCommit } from '#kernel/accounts/account-actions.ts'
import { assertMayTouch } from '#kernel/accounts/account-guard.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { placeOf } from '#kernel/place.ts'
import { notFound, refused } from '#kernel/problem.ts'
import { contains, orderOf, paginate } from '#kernel/query.ts'
import { scoped } from '#kernel/tenancy.ts'

const FORCED_OUT = 4

const reached = (user: User) => scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy })

/** Sessions that still work: neither ended nor past their time, nor idle for too long. */
const live = ({ kernel }: Pick<Ctx, 'kernel'>) => [
  isNull(sessions.endTime),
  gt(sessions.expireTime, sql`now()`),
  gt(sessions.lastActiveTime, sql`now() - make_interval(mins => ${kernel.config.session.idleMinutes}::int)`),
]

export async function online(ctx: Ctx, { account, ip, ...input }: ParsedOf<typeof logs.online>) {
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
    .where(and(...live(ctx), reached(user), contains(accounts.account, account), contains(sessions.ip, ip)))
    .$dynamic()
  const columns = { lastActiveTime: sessions.lastActiveTime, loginTime: sessions.loginTime }
  const newest = [sql`${sessions.lastActiveTime} desc`, sql`${sessions.id} desc`]
  const page = await paginate(db, rows, input, orderOf(input, columns, sessions.id, newest))
  return {
    ...page,
    list: page.list.map((row) => ({ ...row, location: placeOf(row.ip), current: row.sessionId === user.sessionId })),
  }
}

export const forceOut = (ctx: Ctx, { sessionId }: ParsedOf<typeof logs.forceOut>) => endAll(ctx, [sessionId])
export const forceOutMany = (ctx: Ctx, { ids }: ParsedOf<typeof logs.forceOutMany>) => endAll(ctx, ids)

/** Puts sessions to an end at once on every process, and leaves a line in the login log for each. */
async function endAll(ctx: Ctx, ids: readonly string[]) {
  const { db, user, kernel } = ctx
  if (ids.includes(user.sessionId)) throw refused('不能强制下线当前会话')
  const chosen = await db
    .select({ session: sessions, account: accounts.account, tenantId: accounts.tenantId })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.uid, sessions.uid))
    .where(and(inArray(sessions.id, [...ids]), ...live(ctx), reached(user)))
  if (chosen.length === 0) throw notFound('会话')
  const others = new Set(chosen.flatMap(({ session: { uid } }) => (uid === user.uid ? [] : [uid])))
  for (const uid of others) await assertMayTouch(ctx, { uid })
  const ended = await kernel.sessions.end(
    db,
    chosen.map(({ session }) => session.id),
    'forced',
  )
  forgetAfterCommit(ctx)
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
  const names = [...new Set(chosen.map(({ account }) => account))].join('、')
  ctx.audit({ bizType: 'account', bizId: others.size === 1 ? [...others][0]! : '', action: `强制下线：${names}` })
  return { ended }
}
