import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import {
  type storageSettings as calls,
  StorageSettings,
  DEFAULT_STORAGE_SETTINGS,
} from '@oms/contract/storage/setting.ts'
import { sql } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { saveSetting, readSetting } from '#core/database/setting-store.ts'
import { forbidden } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'

const STORAGE_SETTINGS_KEY = 'storage'

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

/** Returns the settings of cloud storage. Invalid values stored by an older version fall back to the default. */
export const readStorageSettings = async (db: Db): Promise<StorageSettings> =>
  (await readRevisedStorageSettings(db)).value

/** Returns the settings of cloud storage and their revision, for the form. */
async function readRevisedStorageSettings(db: Db): Promise<{ readonly value: StorageSettings; readonly rev: number }> {
  const { value, rev } = await readSetting(db, STORAGE_SETTINGS_KEY)
  const stored = StorageSettings.safeParse(value)
  return { value: stored.success ? stored.data : DEFAULT_STORAGE_SETTINGS, rev }
}

/** Days that videos stay after the end of a service, as a value of a statement. */
export const KEEP_DAYS_SQL = sql`coalesce((select (value ->> 'keepDays')::int from settings
  where key = ${STORAGE_SETTINGS_KEY}), ${DEFAULT_STORAGE_SETTINGS.keepDays})`
