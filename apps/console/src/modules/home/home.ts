import type { account } from '@oms/contract/account/account.ts'
import type { accounts } from '@oms/contract/account/account-list.ts'
import type { feedback } from '@oms/contract/ticket/ticket.ts'
import type { home, DistributionKind, TrendMetric } from '@oms/contract/home/home.ts'
import { declareRoute } from '#core/api/route-of.ts'

/** Calls of the home page as literals for a fast start; `calls.test.ts` compares them with the contract. */
export const homeCalls = {
  detail: declareRoute<typeof account.detail>({ method: 'GET', path: '/api/v1/account/detail/:id' }),
  blocks: declareRoute<typeof home.blocks>({ method: 'GET', path: '/api/v1/home/blocks' }),
  summary: declareRoute<typeof home.summary>({ method: 'GET', path: '/api/v1/home/summary' }),
  todo: declareRoute<typeof home.todo>({ method: 'GET', path: '/api/v1/home/todo' }),
  claim: declareRoute<typeof feedback.claim>({
    method: 'POST',
    path: '/api/v1/feedback/claim/:id',
    done: '认领成功',
  }),
  unlock: declareRoute<typeof accounts.unlock>({
    method: 'POST',
    path: '/api/v1/sys/account/unlock/:id',
    done: '已解锁',
  }),
  trend: declareRoute<typeof home.trend>({ method: 'GET', path: '/api/v1/home/trend' }),
  distribution: declareRoute<typeof home.distribution>({ method: 'GET', path: '/api/v1/home/distribution' }),
  screenFleet: declareRoute<typeof home.screenFleet>({ method: 'GET', path: '/api/v1/home/screen/fleet' }),
  screenOnline: declareRoute<typeof home.screenOnline>({ method: 'GET', path: '/api/v1/home/screen/online' }),
  screenReleases: declareRoute<typeof home.screenReleases>({ method: 'GET', path: '/api/v1/home/screen/releases' }),
  screenTickets: declareRoute<typeof home.screenTickets>({ method: 'GET', path: '/api/v1/home/screen/tickets' }),
}

/** Contract texts as literals for a fast start; a test compares them with the contract. */
export const METRIC_WORDS: Readonly<Record<TrendMetric, string>> = {
  activated: '每日激活',
  online: '在线峰值',
  tickets: '新增工单',
  plays: '广告播放',
}
export const DISTRIBUTION_LABELS: Readonly<Record<DistributionKind, string>> = {
  type: '类型',
  model: '型号',
  version: '版本',
  region: '地区',
  tenant: '客户',
}
export const TREND_DAYS_CHOICES = [7, 30, 90] as const

/** Returns the greeting for the current hour in the vendor's time zone, or in the browser's. */
export function greetingForHour(now: Date, zone?: string) {
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', ...(zone && { timeZone: zone }) })
  const hour = Number(clock.format(now))
  if (hour < 5) return '夜深了'
  if (hour < 11) return '早上好'
  if (hour < 13) return '中午好'
  return hour < 18 ? '下午好' : '晚上好'
}

/** Returns the date for the head of the page, such as `11月29日 星期日`. */
export const formatToday = (now: Date, zone?: string) =>
  new Intl.DateTimeFormat('zh-CN', {
    month: 'long',
    day: 'numeric',
    weekday: 'long',
    ...(zone && { timeZone: zone }),
  }).format(now)
