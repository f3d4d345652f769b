import type { OpeningPlan } from '@oms/contract/storage/opening-plan.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Alert } from 'antd'
import { useState } from 'react'
import { formatWallClock } from '#core/text/format.ts'
import { formatPeriod } from '../entitlements/entitlement-cells.tsx'
import { QueueBars } from './queue-bars.tsx'

type Queue = OpeningPlan['queues'][number]

type Loss = Pick<OpeningPlan, 'lostSeconds' | 'lostAmount' | 'lostDevices'>

/** Warns how much time and value an override discards. */
export const LossNotice = ({ lostSeconds, lostAmount, lostDevices }: Loss) =>
  lostSeconds > 0 && (
    <Alert
      type="warning"
      showIcon
      className="kit-note"
      title={`覆盖后 ${lostDevices.toLocaleString()} 台设备的当前套餐合计剩余的 ${formatPeriod(lostSeconds)}将作废，按实收金额折算为 ${formatCurrency(lostAmount)}`}
    />
  )

/** Names the package that the channel has now, and what an override discards of the package. */
function CurrentPackage({ before, lostSeconds, lostAmount }: Pick<Queue, 'before' | 'lostSeconds' | 'lostAmount'>) {
  const [current] = before
  if (!current) return null
  return (
    <p className="kit-hint">
      当前套餐：{current.packageName}，{current.to.slice(0, 16)} 到期
      {lostSeconds > 0 && `，剩余 ${formatPeriod(lostSeconds)}将作废（折合 ${formatCurrency(lostAmount)}）`}
    </p>
  )
}

/** Shows the queues of the first channels of a plan, before and after. */
export function PlanQueues({ queues }: Pick<OpeningPlan, 'queues'>) {
  const [now] = useState(() => formatWallClock())
  return queues.slice(0, 5).map(({ sn, channel, before, after, endTime, ...loss }) => (
    <div key={`${sn}:${channel}`}>
      <h3 className="kit-heading">
        {sn} · 通道 {channel}
        <small>开通后到期：{endTime ?? '暂停中，恢复后确定'}</small>
      </h3>
      <CurrentPackage before={before} {...loss} />
      {before.length > 0 && <QueueBars planned={before} now={now} label={`${sn} 开通前`} />}
      <QueueBars planned={after} now={now} label={`${sn} 开通后`} />
    </div>
  ))
}
