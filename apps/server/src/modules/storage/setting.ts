import { type storageSettings as calls, StorageSettings } from '@oms/contract/storage/setting.ts'
import { about } from '@oms/contract/core/fields.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { listChanges } from '#core/audit/mask.ts'
import { saveSetting } from '#core/database/setting-store.ts'
import { forbidden } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { readRevisedStorageSettings, readStorageSettings, STORAGE_SETTINGS_KEY } from './settings.ts'

const TITLES = Object.fromEntries(
  Object.keys(StorageSettings.shape).map((field) => [field, about(StorageSettings, field).title]),
)

/** The settings apply to the whole installation, so only staff of the vendor reads and changes them. */
function assertVendorStaff({ user }: Ctx) {
  if (!user.isPlatform) throw forbidden()
}

export async function getSettings(ctx: Ctx) {
  assertVendorStaff(ctx)
  const { value, rev } = await readRevisedStorageSettings(ctx.db)
  return { ...value, rev }
}

export async function saveSettings(ctx: Ctx, { rev, ...input }: ParsedOf<typeof calls.save>) {
  assertVendorStaff(ctx)
  const before = await readStorageSettings(ctx.db)
  await saveSetting(ctx, STORAGE_SETTINGS_KEY, input, rev)
  ctx.audit({ bizType: 'storageSetting', action: '修改云存参数', diff: listChanges(before, input, TITLES) })
  return null
}
