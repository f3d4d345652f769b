import { agentDevices as calls } from '@oms/contract/agent/devices/device.ts'
import { OPERATION } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { insertOperation, type OperationRow } from '#core/audit/operation-log.ts'
import { decrypt, encrypt } from '#core/crypto/keys.ts'
import { invalid } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import type { ImportCtx } from '#core/spreadsheet/import/lines.ts'
import { agentIdentityKeys } from '../schema/agent-device.ts'

/** Key of a chip in a line of an import. */
export interface ChipKey {
  readonly serial: string
  readonly hmacKey: string
  readonly tenantId: number
}

/**
 * Encrypts and stores the keys of chips. Replaces different keys of the same tenant when the account has the
 * permission, and logs each replacement.
 */
export async function storeKeys(ctx: ImportCtx, keys: readonly { readonly key: ChipKey; readonly deviceId: number }[]) {
  const { db, user, services } = ctx
  const { secretKey } = services.config
  const { serial, tenantId, keyEncrypted } = agentIdentityKeys
  if (keys.length === 0) return
  const values = keys.map(({ key }) => ({
    serial: key.serial,
    tenantId: key.tenantId,
    keyEncrypted: encrypt(secretKey, key.hmacKey.toLowerCase()),
    createBy: user.uid,
  }))
  const stored = await db.insert(agentIdentityKeys).values(values).onConflictDoNothing().returning({ serial })
  const added = new Set(stored.map((row) => row.serial))
  for (const [at, { key, deviceId }] of keys.entries()) {
    if (added.has(key.serial)) continue
    const isOwn = and(eq(serial, key.serial), eq(tenantId, key.tenantId))
    const [known] = await db.select({ tenantId, keyEncrypted }).from(agentIdentityKeys).where(isOwn)
    if (isSameKey(secretKey, known, key)) continue
    const problem = findReplaceProblem(user, known, key)
    if (problem) throw problem
    await db.update(agentIdentityKeys).set({ keyEncrypted: values[at]!.keyEncrypted, createBy: user.uid }).where(isOwn)
    await insertOperation(db, [replacementLog(ctx, deviceId, key.serial)])
  }
}

interface StoredKey {
  readonly tenantId: number
  readonly keyEncrypted: string
}

/**
 * Returns an API error when the account may not replace the stored key of the serial number. `known` is undefined when
 * the key belongs to another tenant.
 */
export function findReplaceProblem(
  user: User,
  known: Pick<StoredKey, 'tenantId'> | undefined,
  { serial, tenantId }: ChipKey,
) {
  if (known?.tenantId !== tenantId) return invalid(`序列号「${serial}」已有密钥`, 'serial')
  if (user.can(calls.reset.access)) return undefined
  return invalid(`序列号「${serial}」已有另一个密钥，更换需要“重置身份”权限`, 'hmacKey')
}

/** True when the stored key equals the key. False also when the stored key cannot be decrypted with the secret key. */
export function isSameKey(secretKey: Buffer, known: StoredKey | undefined, { hmacKey, tenantId }: ChipKey): boolean {
  if (known?.tenantId !== tenantId) return false
  try {
    return decrypt(secretKey, known.keyEncrypted) === hmacKey.toLowerCase()
  } catch {
    return false
  }
}

/** Returns the log row of a replaced key. The import itself writes one row for the whole file. */
const replacementLog = ({ user }: ImportCtx, deviceId: number, serial: string): OperationRow => ({
  tenantId: user.tenantId,
  uid: user.uid,
  operName: user.account,
  title: '更换设备密钥',
  businessType: OPERATION.edit,
  bizType: 'agentDevice',
  bizId: String(deviceId),
  action: `导入时更换序列号「${serial}」的 HMAC 密钥`,
  requestMethod: calls.import.method,
  operUrl: calls.import.path,
  operIp: '',
})
