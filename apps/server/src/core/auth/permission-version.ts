import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'

/** Number of permission changes so far. A console with an older number reloads its permissions. */
export class PermissionVersion {
  current = '0'

  /** Reads the stored version and subscribes to changes published by all processes. */
  async follow(services: Pick<Services, 'events' | 'database'>) {
    const read = async () => {
      const { rows } = await services.database.pool.query<{ value: number }>(
        `select value from settings where key = 'permissionVersion'`,
      )
      this.current = String(rows[0]?.value ?? 0)
    }
    services.events.on('rights', ({ version }) => {
      this.current = version
    })
    services.events.onReconnect(() => void read().catch(() => {}))
    await read()
  }
}

/**
 * Publishes that roles, menus, scenes or accounts changed. Call this function inside the transaction of every such
 * change. `uids` limits the change to these accounts. Open sessions in all processes apply the change after the commit.
 */
export async function publishRightsChanged({ events }: Pick<Services, 'events'>, db: Db, uids?: number[]) {
  const { rows } = await db.execute<{ value: number }>(sql`
    insert into settings (key, value) values ('permissionVersion', '1')
    on conflict (key) do update set value = to_jsonb((settings.value #>> '{}')::bigint + 1), update_time = now()
    returning value`)
  await events.publish(db, 'rights', { version: String(rows[0]?.value ?? 0), ...(uids && { uids }) })
}
