import { type storageSettings as calls, StorageSettings } from '@oms/contract/storage/setting.ts'
import { about } from '@oms/contract/core/fields.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { listChanges } from '#core/audit/mask.ts'
import { forbidden } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { readStorageSettings, STORAGE_SETTINGS_KEY } from '#domain/storage/settings.ts'
import { settings } from '#schema/system.ts'

const TITLES = Object.fromEntries(
  Object.keys(StorageSettings.shape).map((field) => [field, about(StorageSettings, field).title]),
)

/** The settings apply to the whole installation, so only staff of the vendor reads and changes them. */
function assertVendorStaff({ user }: Ctx) {
  if (!user.isPlatform) throw forbidden()
}

export function getSettings(ctx: Ctx) {
  assertVendorStaff(ctx)
  return readStorageSettings(ctx.db)
}

export async function saveSettings(ctx: Ctx, input: ParsedOf<typeof calls.save>) {
  assertVendorStaff(ctx)
  const { db, now } = ctx
  const before = await readStorageSettings(db)
  const change = { value: input, updateTime: now.toISOString() }
  await db
    .insert(settings)
    .values({ key: STORAGE_SETTINGS_KEY, ...change })
    .onConflictDoUpdate({ target: settings.key, set: change })
  ctx.audit({ bizType: 'storageSetting', action: '修改云存参数', diff: listChanges(before, input, TITLES) })
  return null
}
