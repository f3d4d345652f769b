import { and, eq, getTableColumns, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { agentModels, agentProviders } from '../schema/agent-model.ts'
import { decryptConfig, isKeyMissing } from './opened-config.ts'
import { readSecrets, SECRET_OWNER } from '../secrets.ts'

/** A model with its decrypted configuration. No response of the console contains this object. */
export interface DecryptedModel {
  readonly id: number
  readonly tenantId: number
  readonly type: string
  readonly code: string
  readonly name: string
  readonly providerCode: string
  readonly status: number
  /** 1: tenants may use this model of the platform. */
  readonly shared: number
  readonly priceIn: number
  readonly priceOut: number
  readonly config: Readonly<Record<string, unknown>>
  readonly isKeyMissing: boolean
}

/**
 * Returns models with decrypted secrets by id, for voice servers and for calls of vendors. `db` must run without row
 * security, because tenants may use models of the platform but not read their secrets.
 */
export async function readModelConfigs(db: Db, secretKey: Buffer, ids: readonly (number | null)[]) {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  const models = new Map<number, DecryptedModel>()
  if (wanted.length === 0) return models
  const rows = await db
    .select({ ...getTableColumns(agentModels), fields: agentProviders.fields })
    .from(agentModels)
    .leftJoin(
      agentProviders,
      and(eq(agentProviders.type, agentModels.type), eq(agentProviders.code, agentModels.providerCode)),
    )
    .where(and(inArray(agentModels.id, wanted), notDeleted(agentModels)))
  const secrets = await readSecrets(db, secretKey, SECRET_OWNER.model, wanted)
  for (const { fields, config, ...row } of rows) {
    const { id, tenantId, type, code, name, providerCode, status, shared, priceIn, priceOut } = row
    const values = { ...config, type: providerCode, ...Object.fromEntries(secrets.get(id) ?? []) }
    const opened = decryptConfig(fields ?? [], values)
    const facts = { id, tenantId, type, code, name, providerCode, status, shared, priceIn, priceOut }
    models.set(id, { ...facts, config: opened, isKeyMissing: isKeyMissing(fields ?? [], opened) })
  }
  return models
}
