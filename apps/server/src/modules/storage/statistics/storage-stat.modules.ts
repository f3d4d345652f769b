import { storageSettings } from '@oms/contract/storage/setting.ts'
import { storageStats } from '@oms/contract/storage/statistics.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { grantFileModule } from '../entitlements/grant-file.modules.ts'
import { getSettings, saveSettings } from '../setting.ts'
import { exportStorageStats } from './stat-export.ts'
import { listSilentChannels } from './stat-trouble.ts'
import { getStorageUsage } from './stat-usage.ts'
import {
  countExpiringEntitlements,
  getExpiryForecast,
  listPackageStats,
  listSourceStats,
  getStorageSummary,
  listTenantStats,
  getStorageTrend,
} from './stat.ts'

const statModule = implement(storageStats, {
  summary: getStorageSummary,
  trend: getStorageTrend,
  packages: listPackageStats,
  sources: listSourceStats,
  tenants: listTenantStats,
  expiring: countExpiringEntitlements,
  forecast: getExpiryForecast,
  usage: getStorageUsage,
  trouble: listSilentChannels,
  export: exportStorageStats,
})
const settingModule = implement(storageSettings, { get: getSettings, save: saveSettings })

/** Statistics, settings and batch grants of cloud storage. */
export const storageStatModules: readonly Module[] = [statModule, settingModule, grantFileModule]
