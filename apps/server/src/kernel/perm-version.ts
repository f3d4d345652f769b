import { sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import type { Kernel } from './kernel.ts'

/** The number of rights changes so far; consoles holding an older one fetch their permissions again. */
export class PermVersion {
  current = '0'

  /** Reads the stored version and follows the announcements of all processes. */
  async follow(kernel: Pick<Kernel, 'events' | 'database'>) {
    const read = async () => {
      const { rows } = await kernel.database.pool.query<{ value: number }>(
        `select value from settings where key = 'permVersion'`,
      )
      this.current = String(rows[0]?.value ?? 0)
    }
    kernel.events.on('rights', ({ version }) => {
      this.current = version
    })
    kernel.events.onReconnect(() => void read().catch(() => {}))
    await read()
  }
}

/**
 * Says that roles, menus, scenes or accounts changed: call it inside the transaction of every such change. `uids` when
 * only these accounts are meant. Open sessions of all processes act on it as soon as the transaction commits.
 */
export async function rightsChanged({ events }: Pick<Kernel, 'events'>, db: Db, uids?: number[]) {
  const { rows } = await db.execute<{ value: number }>(sql`
    insert into settings (key, value) values ('permVersion', '1')
    on conflict (key) do update set value = to_jsonb((settings.value #>> '{}')::bigint + 1), update_time = now()
    returning value`)
  await events.publish(db, 'rights', { version: String(rows[0]?.value ?? 0), ...(uids && { uids }) })
}
