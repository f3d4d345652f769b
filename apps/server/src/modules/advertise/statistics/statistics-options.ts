import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, sql } from 'drizzle-orm'
import { contains } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { adPrograms, ads } from '../schema.ts'
import { deviceGroups } from '#modules/device/schema.ts'
import { MARKED_GROUP_NAME } from './statistics-groups.ts'

type Query = ParsedOf<typeof calls.ads>
const MAX_OPTIONS = 100
const marked = (name: typeof ads.adName | typeof adPrograms.programName, table: typeof ads | typeof adPrograms) =>
  sql<string>`${name} || case when ${table.deletedAt} is null then '' else '（已删除）' end`

/** Returns ads for a filter. Deleted ads stay in the statistics. */
export async function listAdOptions({ db, user }: Ctx, { keyword }: Query) {
  const list = await db
    .select({ id: ads.id, name: marked(ads.adName, ads) })
    .from(ads)
    .where(and(scoped(user, { tenant: ads.tenantId, creator: ads.createBy }), contains(ads.adName, keyword)))
    .orderBy(sql`${ads.deletedAt} is not null`, desc(ads.id))
    .limit(MAX_OPTIONS)
  return { list }
}

/** Returns programs for a filter. Deleted programs stay in the statistics. */
export async function listProgramOptions({ db, user }: Ctx, { keyword }: Query) {
  const list = await db
    .select({ id: adPrograms.id, name: marked(adPrograms.programName, adPrograms) })
    .from(adPrograms)
    .where(
      and(
        scoped(user, { tenant: adPrograms.tenantId, creator: adPrograms.createBy }),
        contains(adPrograms.programName, keyword),
      ),
    )
    .orderBy(sql`${adPrograms.deletedAt} is not null`, desc(adPrograms.id))
    .limit(MAX_OPTIONS)
  return { list }
}

/** Returns device groups as options of a filter. Includes deleted groups, whose plays still count. */
export async function listGroupOptions({ db, user }: Ctx, { keyword }: Query) {
  const list = await db
    .select({ id: deviceGroups.id, name: MARKED_GROUP_NAME })
    .from(deviceGroups)
    .where(
      and(
        scoped(user, { tenant: deviceGroups.tenantId, creator: deviceGroups.createBy }),
        contains(deviceGroups.groupName, keyword),
      ),
    )
    .orderBy(sql`${deviceGroups.deletedAt} is not null`, asc(deviceGroups.id))
    .limit(MAX_OPTIONS)
  return { list }
}
