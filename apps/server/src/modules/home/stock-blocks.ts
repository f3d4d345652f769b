import { and, eq, sql } from 'drizzle-orm'
import { otaVersions } from '#modules/upgrade/schema.ts'
import { files } from '#core/schema/system.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import type { BlockSource } from './block.ts'

/** Counts firmware versions and enabled firmware versions. */
export const firmwareBlock: BlockSource = {
  title: '固件版本',
  resources: ['device', 'upgrade'],
  may: (user) => user.can('upgrade:ota:list'),
  async load({ db, user }) {
    const [sums] = await db
      .select({
        value: sql<number>`count(*)::int`,
        today: sql<number>`count(*) filter (where create_time >= date_trunc('day', now()))::int`,
        enabled: sql<number>`count(*) filter (where status = 1)::int`,
      })
      .from(otaVersions)
      .where(
        and(
          notDeleted(otaVersions),
          eq(otaVersions.kind, 1),
          scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }),
        ),
      )
    return {
      value: sums?.value ?? 0,
      delta: sums?.today ?? 0,
      figures: [{ title: '已启用', value: sums?.enabled ?? 0, url: '/upgrade/ota?status=1' }],
      url: '/upgrade/ota',
    }
  },
}

/**
 * Sums the stored bytes. Equal files are stored once. The sum covers all files of a tenant, so accounts with the scope
 * "own records" cannot see the block.
 */
export const storageBlock: BlockSource = {
  title: '文件存储',
  resources: [],
  may: (user) => user.isPlatform && !user.scope.ownOnly && user.can('system:AboutUs:list'),
  async load({ db, user }) {
    const own = scoped(user, { tenant: files.tenantId }) ?? sql`true`
    const { rows } = await db.execute<{ value: number; count: number }>(sql`
      select coalesce(sum(size), 0)::float8 as value, coalesce(sum(n), 0)::int as count
      from (select max(size) as size, count(*) as n from files where ${own} group by sha256) as contents`)
    return {
      value: rows[0]?.value ?? 0,
      unit: 'bytes',
      detail: `共 ${rows[0]?.count ?? 0} 个文件`,
      url: '/system/AboutUs',
    }
  },
}
