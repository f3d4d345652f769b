import { listConfigAddresses } from '@oms/contract/agent/models/model-config.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import { hasUrlScheme } from '@oms/contract/core/address-secret.ts'
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

interface SecretOwner {
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

type Values = Readonly<Record<string, unknown>>

/**
 * Returns scheme, host and port of an address. Programs parse some texts differently (backslash, blank, no scheme).
 * Such a text is returned whole, so that every change of it counts as another origin.
 */
function originOf(text: string): string {
  const url = hasUrlScheme(text) && !/[\\\s]/.test(text) ? URL.parse(text) : null
  return url === null || url.host === '' ? text : `${url.protocol}//${url.host}`
}

const originsOf = (values: Values) =>
  new Map(
    Object.entries(values).flatMap(([key, value]) =>
      listConfigAddresses(key, value).map(({ path, text }) => [path, originOf(text)] as const),
    ),
  )

/** Returns the key of the first field whose addresses have another scheme, host or port. */
export function findChangedOrigin(before: Values, after: Values): string | undefined {
  const [from, to] = [originsOf(before), originsOf(after)]
  const path = [...to.keys(), ...from.keys()].find((each) => from.get(each) !== to.get(each))
  return path?.split('.')[0]
}

interface Change {
  readonly fields: readonly ProviderField[]
  readonly before: Values
  readonly after: Values
  /** Keys of the stored secrets. */
  readonly stored: Iterable<string>
  /** Keys of the secrets that the save replaces or removes. */
  readonly sent: ReadonlySet<string>
}

/**
 * Returns the field and the error of a save that would send a stored secret to another host, or undefined. Otherwise an
 * account without the right to read the secret could choose the host that receives the secret.
 */
export function findKeptSecretProblem({ fields, before, after, stored, sent }: Change) {
  const changed = findChangedOrigin(before, after)
  const kept = [...stored].find((key) => !sent.has(key))
  if (changed === undefined || kept === undefined) return undefined
  const labelOf = (key: string) => fields.find((field) => field.key === key)?.label ?? key
  return {
    field: kept,
    msg: `${labelOf(changed)}已改变，请重新输入${labelOf(kept)}：已保存的密钥不会发送到新的地址`,
  }
}
