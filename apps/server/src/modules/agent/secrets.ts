import { and, eq, inArray, sql } from 'drizzle-orm'
import { decrypt, encrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { agentSecrets } from './schema/agent-model.ts'

/** `agent_secrets.owner_kind`. */
export const SECRET_OWNER = { model: 1, agent: 2 } as const
type OwnerKind = (typeof SECRET_OWNER)[keyof typeof SECRET_OWNER]

/**
 * Returns the decrypted secrets of rows by owner id and field. Reading secrets of the platform needs a session without
 * row-level security.
 */
export async function readSecrets(db: Db, secretKey: Buffer, ownerKind: OwnerKind, ownerIds: readonly number[]) {
  const byOwner = new Map<number, Map<string, string>>()
  if (ownerIds.length === 0) return byOwner
  const rows = await db
    .select({ ownerId: agentSecrets.ownerId, field: agentSecrets.field, encrypted: agentSecrets.encrypted })
    .from(agentSecrets)
    .where(and(eq(agentSecrets.ownerKind, ownerKind), inArray(agentSecrets.ownerId, [...ownerIds])))
  for (const { ownerId, field, encrypted } of rows) {
    const fields = byOwner.get(ownerId) ?? new Map<string, string>()
    byOwner.set(ownerId, fields.set(field, decrypt(secretKey, encrypted)))
  }
  return byOwner
}

/** Returns the last four characters of each secret that is set, by field. */
export async function readSecretEndings(
  db: Db,
  ownerKind: OwnerKind,
  ownerId: number,
): Promise<Record<string, string>> {
  const rows = await db
    .select({ field: agentSecrets.field, lastFour: agentSecrets.lastFour })
    .from(agentSecrets)
    .where(and(eq(agentSecrets.ownerKind, ownerKind), eq(agentSecrets.ownerId, ownerId)))
    .orderBy(agentSecrets.field)
  return Object.fromEntries(rows.map(({ field, lastFour }) => [field, lastFour]))
}

export interface SecretOwner {
  readonly ownerKind: OwnerKind
  readonly ownerId: number
  readonly tenantId: number
  readonly uid: number | null
}

/** Shortest secret whose last four characters are shown. */
const MIN_SHOWN = 12

/** Stores secrets by field. An empty text removes the secret. */
export async function writeSecrets(
  db: Db,
  secretKey: Buffer,
  { ownerKind, ownerId, tenantId, uid }: SecretOwner,
  values: ReadonlyMap<string, string>,
) {
  const cleared = [...values].flatMap(([field, value]) => (value === '' ? [field] : []))
  const set = [...values].flatMap(([field, value]) =>
    value === ''
      ? []
      : [
          {
            ownerKind,
            ownerId,
            tenantId,
            field,
            updateBy: uid,
            encrypted: encrypt(secretKey, value),
            lastFour: value.length >= MIN_SHOWN ? value.slice(-4) : '',
          },
        ],
  )
  const owner = and(eq(agentSecrets.ownerKind, ownerKind), eq(agentSecrets.ownerId, ownerId))
  if (cleared.length > 0) await db.delete(agentSecrets).where(and(owner, inArray(agentSecrets.field, cleared)))
  if (set.length > 0)
    await db
      .insert(agentSecrets)
      .values(set)
      .onConflictDoUpdate({
        target: [agentSecrets.ownerKind, agentSecrets.ownerId, agentSecrets.field],
        set: {
          encrypted: sql`excluded.encrypted`,
          lastFour: sql`excluded.last_four`,
          updateBy: uid,
          updateTime: sql`now()`,
        },
      })
}
