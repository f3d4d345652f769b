import { randomBytes } from 'node:crypto'
import { and, eq, gt, sql } from 'drizzle-orm'
import { encrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { conflict } from '#core/http/api-error.ts'
import type { Services } from '#core/services.ts'
import { agentParams } from '../schema/agent-device.ts'
import { agentSecrets } from '../schema/agent-model.ts'
import {
  PARAM_SECRET_OWNER_KIND,
  PREVIOUS_SECRET_CODE,
  SECRET_PARAMS,
  hashServerSecret,
  SERVER_SECRET_CODE,
} from './parameters.ts'

/** Days for which a replaced secret of the voice server stays valid. */
const PREVIOUS_DAYS = 7
const SHOWN_FROM = 12

interface Owner {
  readonly tenantId: number
  readonly uid: number
}

const secretOf = (tenantId: number, field: string) =>
  and(
    eq(agentSecrets.ownerKind, PARAM_SECRET_OWNER_KIND),
    eq(agentSecrets.ownerId, tenantId),
    eq(agentSecrets.field, field),
  )

/**
 * Stores a tenant's value of a parameter. A secret is stored encrypted in `agent_secrets`, and the column `value` stays
 * empty.
 */
export async function writeParameter(
  db: Db,
  services: Services,
  { tenantId, uid }: Owner,
  { code, value, remark }: { readonly code: string; readonly value: string; readonly remark: string },
) {
  const isSecret = SECRET_PARAMS.includes(code)
  const row = { value: isSecret ? '' : value, remark, updateBy: uid, updateTime: sql`now()` as unknown as string }
  const [saved] = await db
    .insert(agentParams)
    .values({ tenantId, code, ...row, createBy: uid, rev: 1 })
    .onConflictDoUpdate({
      target: [agentParams.tenantId, agentParams.code],
      set: { ...row, rev: sql`${agentParams.rev} + 1` },
    })
    .returning({ rev: agentParams.rev })
  if (isSecret) await writeSecret(db, services, { tenantId, uid }, { code, value })
  await publishParameters(db, services)
  return saved!.rev
}

async function writeSecret(
  db: Db,
  { config }: Services,
  { tenantId, uid }: Owner,
  { code, value }: { readonly code: string; readonly value: string },
) {
  const isServerSecret = code === SERVER_SECRET_CODE
  if (isServerSecret) await keepPrevious(db, tenantId)
  else await db.delete(agentSecrets).where(secretOf(tenantId, code))
  if (value === '') return
  await db.insert(agentSecrets).values({
    ownerKind: PARAM_SECRET_OWNER_KIND,
    ownerId: tenantId,
    field: code,
    tenantId,
    encrypted: encrypt(config.secretKey, value),
    lastFour: value.length >= SHOWN_FROM ? value.slice(-4) : '',
    valueHash: isServerSecret ? hashServerSecret(value) : null,
    updateBy: uid,
  })
}

/**
 * Keeps the current secret of the voice server valid for some days. Throws while an earlier replaced secret is valid,
 * because a second change would end the secret that running voice servers use.
 */
async function keepPrevious(db: Db, tenantId: number) {
  const isValid = gt(agentSecrets.validUntil, sql`now()`)
  const replaced = and(secretOf(tenantId, PREVIOUS_SECRET_CODE), isValid)
  if ((await db.$count(agentSecrets, replaced)) > 0) throw conflict('上次更换前的旧密钥仍然有效，请先停用旧密钥再更换')
  await db.delete(agentSecrets).where(secretOf(tenantId, PREVIOUS_SECRET_CODE))
  await db
    .update(agentSecrets)
    .set({
      field: PREVIOUS_SECRET_CODE,
      validUntil: sql`now() + make_interval(days => ${PREVIOUS_DAYS})` as unknown as string,
    })
    .where(secretOf(tenantId, SERVER_SECRET_CODE))
}

/** Deletes the own value of a tenant. */
export async function deleteParameter(db: Db, services: Services, tenantId: number, code: string) {
  await db.delete(agentParams).where(and(eq(agentParams.tenantId, tenantId), eq(agentParams.code, code)))
  await db.delete(agentSecrets).where(secretOf(tenantId, code))
  if (code === SERVER_SECRET_CODE) await db.delete(agentSecrets).where(secretOf(tenantId, PREVIOUS_SECRET_CODE))
  await publishParameters(db, services)
}

/** Ends the replaced secret of the voice server. Returns false when there is none. */
export async function deletePreviousSecret(db: Db, services: Services, tenantId: number): Promise<boolean> {
  const { rowCount } = await db.delete(agentSecrets).where(secretOf(tenantId, PREVIOUS_SECRET_CODE))
  await publishParameters(db, services)
  return rowCount === 1
}

/** Empties the caches of all processes at the commit. */
async function publishParameters(db: Db, services: Services) {
  await services.events.publish(db, 'agentParams', {})
}

/** Returns a new random secret for a voice server. */
export const createServerSecret = () => randomBytes(32).toString('base64url')
