import type { Pool } from 'pg'
import { BatchedRead } from '#core/database/statements/batched-read.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

/**
 * Selects the cheapest model of each key. Relayed models come first, because OMS then responds to a stopped device
 * itself and calls no vendor. Excludes models without a price or a key, which may be unusable. Excludes platform models
 * without a relay for a voice server of a tenant, which gets no platform keys.
 */
const READ = `select k.key, m.id from unnest($1::varchar[], $2::int[], $3::boolean[]) as k (key, tenant_id, has_platform_keys)
  cross join lateral (
    select a.id from agent_models a where a.type = 'LLM' and a.status = 1 and a.deleted_at is null
      and (a.tenant_id = k.tenant_id or (a.tenant_id = ${PLATFORM_TENANT_ID} and a.shared = 1))
      and a.provider_code in ('openai', 'ollama', 'xinference')
      and (a.relay = 1 or (a.price_in + a.price_out > 0 and (a.tenant_id = k.tenant_id or k.has_platform_keys)
        and (a.provider_code <> 'openai' or exists (select from agent_secrets s
          where s.owner_kind = 1 and s.owner_id = a.id and s.field = 'api_key'))))
    order by a.relay desc, a.price_in + a.price_out, a.id limit 1) m`

/** Finds the cheapest language model for stopped devices. Caches nothing. Simultaneous calls share a statement. */
export class CheapestModels {
  readonly #found: BatchedRead<string, { readonly key: string; readonly id: number }, number>

  constructor(pool: Pool) {
    const read = async (keys: readonly string[]) => {
      const parts = keys.map((key) => key.split(':').map(Number))
      const values = [keys, parts.map(([id]) => id), parts.map(([, hasKeys]) => hasKeys === 1)]
      const { rows } = await pool.query<{ key: string; id: number }>({ name: 'agent-cheapest-llm', text: READ, values })
      return new Map(rows.map((row) => [row.key, row]))
    }
    this.#found = new BatchedRead({ read, valueOf: ({ id }) => id })
  }

  /** Returns the id of an enabled language model that the tenant may use and `serverTenant`'s voice server can call. */
  of(tenantId: number, serverTenant: number): Promise<number | undefined> {
    return this.#found.get(`${tenantId}:${serverTenant === PLATFORM_TENANT_ID ? 1 : 0}`)
  }
}
