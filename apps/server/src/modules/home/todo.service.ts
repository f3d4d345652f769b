import { and, eq } from 'drizzle-orm'
import { accounts } from '#db/schema/account.ts'
import { otaVersions } from '#db/schema/ota.ts'
import { notices } from '#db/schema/system.ts'
import { lockedIs } from '#kernel/accounts/lock-filter.ts'
import type { Ctx } from '#kernel/context.ts'
import { alive, scoped } from '#kernel/tenancy.ts'

interface Task {
  readonly key: string
  readonly title: string
  readonly url: string
  /** The permission to do it, not merely to see it. */
  readonly needs?: string
  count(ctx: Ctx): Promise<number>
}

const TASKS: readonly Task[] = [
  {
    key: 'firmwareDrafts',
    title: '待启用的固件版本',
    url: '/upgrade/ota?status=0',
    needs: 'upgrade:ota:enable',
    count: ({ db, user }) =>
      db.$count(
        otaVersions,
        and(
          alive(otaVersions),
          eq(otaVersions.kind, 1),
          eq(otaVersions.status, 0),
          scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }),
        ),
      ),
  },
  {
    key: 'noticeDrafts',
    title: '待发布的通知公告',
    url: '/system/noticeManage?status=0',
    needs: 'system:noticeManage:publish',
    count: ({ db, user }) =>
      db.$count(
        notices,
        and(
          alive(notices),
          eq(notices.status, 0),
          scoped(user, { tenant: notices.tenantId, creator: notices.createBy }),
        ),
      ),
  },
  {
    key: 'lockedAccounts',
    title: '被锁定的账号',
    url: '/system/userList?locked=1',
    needs: 'system:userList:unlock',
    count: ({ db, user }) =>
      db.$count(accounts, and(alive(accounts), scoped(user, { tenant: accounts.tenantId }), lockedIs(1))),
  },
  {
    key: 'ownMfa',
    title: '为管理员账号启用两步验证',
    url: '/account/mfa',
    async count({ db, user }) {
      if (!user.isSuper) return 0
      return db.$count(accounts, and(eq(accounts.uid, user.uid), eq(accounts.mfaEnabled, false)))
    },
  },
]

/** What waits for this account; tasks without anything to do are left out. */
export async function todo(ctx: Ctx) {
  const list = []
  for (const { key, title, url, needs, count } of TASKS) {
    if (needs && !ctx.user.can(needs)) continue
    const waiting = await count(ctx)
    if (waiting > 0) list.push({ key, title, url, count: waiting })
  }
  return { list }
}
