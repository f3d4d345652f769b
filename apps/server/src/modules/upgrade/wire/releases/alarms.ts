import type { StatementClient } from '#modules/device/wire/write-queue.ts'

/** Values of ALARM_KIND in the contract. */
const KIND = { damaged: 1, rolledBack: 4 } as const

/** Opens an alarm of a version unless an alarm of this kind is open. */
export async function openAlarm(db: StatementClient, otaId: number, kind: keyof typeof KIND, message: string) {
  // The lock ensures that several devices with the same problem open only one alarm.
  await db.query(`select pg_advisory_xact_lock(hashtext('ota alarms'), $1)`, [otaId])
  await db.query(
    `insert into ota_alarms (tenant_id, ota_id, kind, message) select tenant_id, ota_id, $2, left($3, 500)
     from ota_versions where ota_id = $1
       and not exists (select from ota_alarms where ota_id = $1 and kind = $2 and close_time is null)`,
    [otaId, KIND[kind], message],
  )
}
