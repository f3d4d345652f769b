import type { ProviderField } from '@oms/contract/agent/provider-field.ts'
import type { Pool } from 'pg'
import { decrypt } from '#core/crypto/encrypted-value.ts'
import type { ConfiguredModel } from './agent-config.ts'
import { openedConfig } from './opened-config.ts'

/** A model with its id, as agents name it. */
export interface StoredModel extends ConfiguredModel {
  readonly id: number
  readonly type: string
  readonly name: string
  readonly tenantId: number
  readonly status: number
  /** 1: tenants may use this model of the platform. */
  readonly shared: number
  /** 1: voice servers reach the model through OMS. */
  readonly relay: number
  readonly fallbackModelId: number | null
  /** Fen per million tokens. */
  readonly priceIn: number
  readonly priceOut: number
}

interface Row extends Omit<StoredModel, 'config'> {
  readonly config: Record<string, unknown>
  readonly secrets: Record<string, string> | null
  readonly fields: readonly ProviderField[] | null
}

const READ = `select m.id, m.code, m.type, m.name, m.tenant_id as "tenantId", m.status, m.shared, m.relay,
    m.fallback_model_id as "fallbackModelId", m.price_in as "priceIn", m.price_out as "priceOut", m.config || jsonb_build_object('type', m.provider_code) as config,
    (select jsonb_object_agg(s.field, s.encrypted) from agent_secrets s where s.owner_kind = 1 and s.owner_id = m.id) as secrets,
    (select p.fields from agent_providers p where p.type = m.type and p.code = m.provider_code) as fields
  from agent_models m where m.deleted_at is null and (m.id = any($1::int[]) or m.code in (
    select n.config ->> 'llm' from agent_models n where n.id = any($1::int[]) and n.deleted_at is null))`

/**
 * Returns the models with these ids, and the language models that these models reference in `llm`, with decrypted
 * secrets.
 */
export async function serverModelsOf(pool: Pool, secretKey: Buffer, ids: readonly number[]): Promise<StoredModel[]> {
  const { rows } = await pool.query<Row>({ name: 'agent-server-models', text: READ, values: [ids] })
  return rows.map(({ secrets, config, fields, ...row }) => {
    const opened = Object.entries(secrets ?? {}).map(
      ([field, encrypted]) => [field, decrypt(secretKey, encrypted)] as const,
    )
    return { ...row, config: openedConfig(fields ?? [], { ...config, ...Object.fromEntries(opened) }) }
  })
}
