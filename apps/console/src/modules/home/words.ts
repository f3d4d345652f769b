import type { DistributionKind, TrendMetric } from '@oms/contract/home/home.ts'

/** Contract texts as literals for a fast start; a test compares them with the contract. */
export const METRIC_WORDS: Readonly<Record<TrendMetric, string>> = {
  activated: '每日激活',
  online: '在线峰值',
  tickets: '新增工单',
}
export const DISTRIBUTION_LABELS: Readonly<Record<DistributionKind, string>> = {
  type: '类型',
  model: '型号',
  version: '版本',
  region: '地区',
  tenant: '客户',
}
export const TREND_DAYS_CHOICES = [7, 30, 90] as const
