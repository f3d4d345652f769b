import { DEFAULT_STORAGE_SETTINGS, StorageSettings } from '@oms/contract/storage/setting.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { readSetting } from '#core/database/setting-store.ts'

export const STORAGE_SETTINGS_KEY = 'storage'

/** Returns the settings of cloud storage. Invalid values stored by an older version fall back to the default. */
export async function readStorageSettings(db: Db): Promise<StorageSettings> {
  const { value } = await readSetting(db, STORAGE_SETTINGS_KEY)
  const stored = StorageSettings.safeParse(value)
  return stored.success ? stored.data : DEFAULT_STORAGE_SETTINGS
}

/** Days that videos stay after the end of a service, as a value of a statement. */
export const KEEP_DAYS_SQL = sql`coalesce((select (value ->> 'keepDays')::int from settings
  where key = ${STORAGE_SETTINGS_KEY}), ${DEFAULT_STORAGE_SETTINGS.keepDays})`
