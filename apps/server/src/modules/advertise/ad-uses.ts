import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/**
 * Stores which ads a program uses: the ads of the edited content, of the version in force and of the version that waits
 * for approval. Call the function after every change of items or versions. A deleted program uses no ads.
 */
export async function refreshAdUses(db: Db, programId: number): Promise<void> {
  const used = sql`
    select distinct p.id as program_id, (item->>'adId')::int as ad_id, p.tenant_id
    from ad_programs p
    left join ad_program_versions v on v.program_id = p.id
      and (v.state = 1 or (v.ver_no = p.published_ver and p.status in (1, 2, 4)))
    cross join lateral jsonb_array_elements(p.items || coalesce(v.body->'items', '[]'::jsonb)) as item
    where p.id = ${programId} and p.deleted_at is null`
  await db.execute(sql`
    with used as materialized (${used}),
      gone as (delete from ad_uses u where u.program_id = ${programId}
        and not exists (select from used where used.ad_id = u.ad_id))
    insert into ad_uses (program_id, ad_id, tenant_id) select * from used on conflict do nothing`)
}
