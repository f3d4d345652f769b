import { DEFAULT_STORAGE_SETTINGS, StorageSettings } from '@oms/contract/storage/setting.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { readSetting } from '#core/database/setting-store.ts'

export const STORAGE_SETTINGS_KEY = 'storage'

/** Returns the settings of cloud storage. Invalid values stored by an older version fall back to the default. */
export const readStorageSettings = async (db: Db): Promise<StorageSettings> =>
  (await readRevisedStorageSettings(db)).value

/** Returns the settings of cloud storage and their revision, for the form. */
export async function readRevisedStorageSettings(
  db: Db,
): Promise<{ readonly value: StorageSettings; readonly rev: number }> {
  const { value, rev } = await readSetting(db, STORAGE_SETTINGS_KEY)
  const stored = StorageSettings.safeParse(value)
  return { value: stored.success ? stored.data : DEFAULT_STORAGE_SETTINGS, rev }
}

/** Days that videos stay after the end of a service, as a value of a statement. */
export const KEEP_DAYS_SQL = sql`coalesce((select (value ->> 'keepDays')::int from settings
  where key = ${STORAGE_SETTINGS_KEY}), ${DEFAULT_STORAGE_SETTINGS.keepDays})`
