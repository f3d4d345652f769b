import { storageSettings } from '@oms/contract/storage/setting.ts'
import { storageStats } from '@oms/contract/storage/statistics.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { grantFileModule } from '../entitlements/grant-file.modules.ts'
import { getSettings, saveSettings } from '../setting.service.ts'
import { simulate } from '../entitlements/simulate.service.ts'
import { exportStorageStats } from './stat-export.ts'
import { trouble } from './stat-trouble.service.ts'
import { usage } from './stat-usage.service.ts'
import { cohort, expiring, forecast, packages, sources, summary, tenants, trend } from './stat.service.ts'

const statModule = implement(storageStats, {
  summary,
  trend,
  packages,
  sources,
  tenants,
  expiring,
  forecast,
  usage,
  trouble,
  simulate,
  cohort,
  export: exportStorageStats,
})
const settingModule = implement(storageSettings, { get: getSettings, save: saveSettings })

/** Statistics, settings and batch grants of cloud storage. */
export const storageStatModules: readonly Module[] = [statModule, settingModule, grantFileModule]
