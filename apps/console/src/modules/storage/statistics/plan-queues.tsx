import type { OpenPlan } from '@oms/contract/storage/opening-plan.ts'
import { useState } from 'react'
import { formatWallClock } from '#core/text/format.ts'
import { QueueBars } from './queue-bars.tsx'

/** Shows the queues of the first channels of a plan, before and after. */
export function PlanQueues({ queues }: Pick<OpenPlan, 'queues'>) {
  const [now] = useState(() => formatWallClock())
  return queues.slice(0, 5).map(({ sn, channel, before, after, endTime }) => (
    <div key={`${sn}:${channel}`} className="storage-plan-queue">
      <h3>
        {sn} · 通道 {channel}
        <small>开通后到期：{endTime ?? '暂停中，恢复后确定'}</small>
      </h3>
      {before.length > 0 && <QueueBars planned={before} now={now} label={`${sn} 开通前`} />}
      <QueueBars planned={after} now={now} label={`${sn} 开通后`} />
    </div>
  ))
}
