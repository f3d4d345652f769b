import { createHash, randomInt } from 'node:crypto'
import { type devices as calls } from '@oms/contract/device/device-info.ts'
import { TOKEN_LENGTH } from '@oms/contract/device/device-row.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { eq, sql } from 'drizzle-orm'
import { devices } from './schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { refused } from '#core/http/api-error.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { auditDevices, formatDeviceName, lockDevice, lockDevices, publishDevicesChanged } from './device-rows.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const newToken = () => Array.from({ length: TOKEN_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
const hashOf = (token: string) => createHash('sha256').update(token).digest()

/**
 * Creates a token in its own transaction. The token is stored only as a hash, and encrypted in the response that
 * repeated calls receive.
 */
export function createDeviceToken(ctx: Ctx, { id }: ParsedOf<typeof calls.token>) {
  return transactWithOperationLog(ctx, async (db) => {
    const stored = await lockDevice(db, ctx.user, id)
    const made = newToken()
    await db
      .update(devices)
      .set({ tokenHash: hashOf(made), ...updateColumns(stored, ctx.user.uid, ctx.now) })
      .where(eq(devices.id, id))
    const action = `${stored.tokenHash ? '更换' : '生成'}设备令牌：${formatDeviceName(stored)}`
    ctx.audit({ bizType: 'device', bizId: id, action })
    await publishDevicesChanged({ ...ctx, db }, [stored.tenantId])
    return { sn: stored.sn, token: made }
  })
}

export async function clearDeviceToken(ctx: Ctx, { id }: ParsedOf<typeof calls.clearToken>) {
  const { db, user, now } = ctx
  const stored = await lockDevice(db, user, id)
  if (!stored.tokenHash) throw refused('该设备没有令牌')
  await db
    .update(devices)
    .set({ tokenHash: null, ...updateColumns(stored, user.uid, now) })
    .where(eq(devices.id, id))
  ctx.audit({ bizType: 'device', bizId: id, action: `清除设备令牌：${formatDeviceName(stored)}` })
  await publishDevicesChanged(ctx, [stored.tenantId])
  return null
}

/** Creates tokens for several devices. The tokens appear only in the response. */
export function createDeviceTokens(ctx: Ctx, { ids, replace }: ParsedOf<typeof calls.tokens>) {
  return transactWithOperationLog(ctx, async (db) => {
    const { user, now } = ctx
    const found = await lockDevices(db, user, ids)
    const chosen = found.filter(({ tokenHash }) => replace === 1 || !tokenHash)
    const made = chosen.map(({ id, sn }) => ({ id, sn, token: newToken() }))
    const rows = made.map((each) => ({ id: each.id, hash: hashOf(each.token).toString('hex') }))
    await db.execute(sql`update devices d set token_hash = decode(x.hash, 'hex'), rev = d.rev + 1,
        update_by = ${user.uid}, update_time = ${now.toISOString()}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(id int, hash text) where d.id = x.id`)
    auditDevices(ctx, chosen, '批量生成设备令牌')
    await publishDevicesChanged(
      { ...ctx, db },
      chosen.map(({ tenantId }) => tenantId),
    )
    return { tokens: made.map((each) => ({ sn: each.sn, token: each.token })), skipped: ids.length - made.length }
  })
}
