import { sql } from 'drizzle-orm'
import { among } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { adScreens } from '../schema-screen.ts'

/** Names of the program and the ad that a screen plays. Empty when nothing or content of another tenant plays. */
export type PlayingContentNames = {
  readonly programName: string
  readonly adName: string
}

/**
 * Returns the names of the program and the ad that screens reported last, by the id of the device. Contains only names
 * of the tenant of the screen and of the platform, because a device can report any id, and may have belonged to
 * another tenant. Programs of the platform play on screens of tenants, so the names are read without row-level
 * security.
 */
export async function readPlayingNames(ctx: Pick<Ctx, 'db' | 'user'>, deviceIds: readonly number[]) {
  if (deviceIds.length === 0) return new Map<number, PlayingContentNames>()
  const { rows } = await withoutRowSecurity(ctx, (db) =>
    db.execute<PlayingContentNames & { id: number }>(sql`
      select ad_screens.device_id as id, coalesce(p.program_name, '') as "programName", coalesce(a.ad_name, '') as "adName"
      from ad_screens
      left join ad_programs p on p.id = (now_playing->>'programId')::int
        and p.tenant_id in (${PLATFORM_TENANT_ID}::int, ad_screens.tenant_id)
      left join ads a on a.id = (now_playing->>'adId')::int
        and a.tenant_id in (${PLATFORM_TENANT_ID}::int, ad_screens.tenant_id)
      where ${among(adScreens.deviceId, deviceIds)}`),
  )
  return new Map(rows.map(({ id, ...names }) => [id, names]))
}
