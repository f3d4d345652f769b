import { storagePackages } from '@oms/contract/storage/package.ts'
import { sql } from 'drizzle-orm'
import { type Actor, runAsActor } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { createPackage, disablePackage } from '#modules/storage/package.ts'

/** Name, code, recording type, days of storage, period type and count, price and original price in fen. */
const PACKAGES = [
  ['7天连续录像·月卡', 'YC7M1', 1, 7, 2, 1, 900, 1200],
  ['7天连续录像·年卡', 'YC7Y1', 1, 7, 3, 1, 8800, 10800],
  ['30天连续录像·月卡', 'YC30M1', 1, 30, 2, 1, 2900, 3500],
  ['30天连续录像·季卡', 'YC30M3', 1, 30, 2, 3, 7900, 8700],
  ['30天连续录像·年卡', 'YC30Y1', 1, 30, 3, 1, 28_800, 34_800],
  ['7天事件录像·月卡', 'SJ7M1', 2, 7, 2, 1, 500, 600],
  ['7天事件录像·年卡', 'SJ7Y1', 2, 7, 3, 1, 4800, 6000],
  ['30天事件录像·年卡', 'SJ30Y1', 2, 30, 3, 1, 12_800, 15_800],
  ['低功耗门铃·月卡', 'DG7M1', 3, 7, 2, 1, 400, 0],
  ['低功耗门铃·年卡', 'DG30Y1', 3, 30, 3, 1, 6800, 9800],
  ['新机体验·7天', 'TRY7', 2, 3, 1, 1, 0, 0],
  ['90天连续录像·年卡', 'YC90Y1', 1, 90, 3, 1, 69_800, 79_800],
] as const
/** The last package was taken off sale. */
const OFF_SALE = 'YC90Y1'
const TRIAL = 'TRY7'

/** Creates twelve packages, and marks cameras and doorbells as models with cloud storage. */
export async function seedDemoStoragePackages(services: Services, db: Db, demo: Actor) {
  await db.execute(sql`update device_models set cloud_channels = case when model_code = 'C30' then 2 else 1 end
    where model_code in ('C10', 'C20', 'C30', 'D5', 'D7')`)
  for (const [
    sort,
    [packageName, packageCode, recordType, storageDays, periodType, periodCount, price, originPrice],
  ] of PACKAGES.entries()) {
    const isEvent = recordType !== 1
    const input = storagePackages.create.input.parse({
      packageName,
      packageCode,
      recordType,
      storageDays,
      periodType,
      periodCount,
      price,
      originPrice,
      sort,
      ...(packageCode === TRIAL && { isTrial: 1, dayLimitMb: 500 }),
      channels: recordType === 1 ? 4 : 1,
      ...(isEvent && { preRecord: 3, eventRecord: 20, prolong: recordType === 2 ? 1 : 0 }),
    })
    const { id } = await runAsActor(services, demo, { name: 'create', ...storagePackages.create, input }, (ctx) =>
      createPackage(ctx, input),
    )
    if (packageCode === OFF_SALE)
      await runAsActor(services, demo, { name: 'disable', ...storagePackages.disable, input: { id } }, (ctx) =>
        disablePackage(ctx, { id }),
      )
  }
}
