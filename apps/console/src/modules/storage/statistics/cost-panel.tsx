import { MIN_SAMPLE, type Simulation, storageStats } from '@oms/contract/storage/statistics.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { DASH, formatPercentage } from '#core/text/format.ts'
import { Form, Spin } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'

interface Terms {
  readonly recordType?: number
  readonly storageDays?: number
  readonly periodType?: number
  readonly periodCount?: number
  readonly price?: number
  readonly channels?: number
  readonly modelIds?: readonly number[]
}

/** Cost and margin of the terms in the form, estimated from measured uploads while the fields change. */
export function CostPanel() {
  const form = Form.useFormInstance<Terms>()
  const { modelIds = [], ...fields } = Form.useWatch([], form) ?? {}
  const { recordType, storageDays, periodType, periodCount, price, channels } = fields
  const terms = { recordType, storageDays, periodType, periodCount, price, channels }
  const isComplete = Object.values(terms).every((value) => typeof value === 'number')
  return (
    <Allowed to={storageStats.simulate}>
      <section className="storage-plan" aria-label="成本测算">
        <h3>成本测算</h3>
        {isComplete ? (
          <Estimate terms={{ ...terms, modelIds }} />
        ) : (
          <p className="storage-muted">填写价格和有效期后，这里按实测上传量估算每台设备每月的成本和毛利。</p>
        )}
      </section>
    </Allowed>
  )
}

function Estimate({ terms }: { terms: Terms }) {
  const { data, error, isFetching } = useRead(storageStats.simulate, terms as never, { quiet: true })
  if (error) return <p className="storage-muted">{error.message}</p>
  return <Spin spinning={isFetching}>{data ? <Facts data={data} /> : <div className="storage-plan-empty" />}</Spin>
}

const yuan = (fen: number | null) => (fen === null ? DASH : formatCurrency(fen))

function Facts({ data }: { data: Simulation }) {
  if (data.cost === null)
    return (
      <p className="storage-muted">
        样本不足：近 7 天只有 {data.devices} 台设备上传了该类型的录像，少于 {MIN_SAMPLE} 台。月均收入{' '}
        {yuan(data.revenue)}。
      </p>
    )
  const facts = [
    ['每台每日上传', `中位数 ${data.medianMb} MB，90% 的设备不超过 ${data.p90Mb} MB`],
    ['每台每月成本', `${yuan(data.cost)}（存储 ${yuan(data.store)}，写入 ${yuan(data.put)}，流量 ${yuan(data.out)}）`],
    ['回看比例', `${formatPercentage(data.playedShare)}，按${data.isShareMeasured ? '近 30 天的实测' : '云存参数'}`],
    ['上传量较大的设备', `每月成本 ${yuan(data.p90Cost)}`],
    ['每月收入与毛利', `${yuan(data.revenue)}，毛利 ${yuan(data.margin)}`],
    ['样本', `近 7 天 ${data.devices.toLocaleString()} 台设备，按套餐的通道数计算`],
  ] as const
  return (
    <dl className="storage-cost">
      {facts.map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
