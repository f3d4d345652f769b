import { feedbackStat } from '@oms/contract/ticket/ticket-statistics.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Tag } from 'antd'
import { computeRowChartHeight } from '#kit/chart/chart-height.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { StatBlock } from './stat-block.tsx'
import { ProblemBars } from './stat-problem.tsx'
import { ticketListPath, buildCreatedFilter, type StatRange } from './stat-range.ts'
import './statistics.css'

type Models = ResultOf<typeof feedbackStat.model>
type Model = Models['models'][number]
type Version = Model['versions'][number]
const TOP = 10
/** Filter value for tickets without a firmware version. */
const NO_VERSION = 0

/** Bar chart of tickets by device model, in descending order. */
export function ModelBars({ range }: { range: StatRange }) {
  return (
    <StatBlock
      title="型号工单数"
      of={feedbackStat.model}
      range={range}
      chart={computeRowChartHeight(TOP)}
      isEmpty={({ models }) => models.length === 0}
    >
      {({ models }) => (
        <ProblemBars
          name="型号工单数"
          categoryTitle="型号"
          bars={models.slice(0, TOP).map(({ modelId, modelName, tickets, rate }) => ({
            label: modelName,
            value: tickets,
            note: rate === null ? '-' : `${rate}‰`,
            to: ticketListPath(range, { ...buildCreatedFilter(range), modelId }),
          }))}
        />
      )}
    </StatBlock>
  )
}

/** Defect rate of each firmware version and model in tickets per 1,000 active devices. */
export function FirmwareMatrix({ range }: { range: StatRange }) {
  return (
    <StatBlock
      title="型号 × 固件缺陷率"
      hint="工单数 ÷ 运行该版本的激活设备 × 1000；新版本在左，带标记的在统计期内发布"
      of={feedbackStat.model}
      range={range}
      table={({ models }) => ({
        head: ['型号', '固件', '发布时间', '工单', '激活设备', '每千台'],
        rows: models.flatMap(({ modelName, versions }) =>
          versions.map(({ verName, releaseTime, tickets, devices, rate }) => [
            modelName,
            verName,
            releaseTime ?? '-',
            tickets,
            devices,
            rate ?? '-',
          ]),
        ),
      })}
      isEmpty={({ models }) => models.length === 0}
    >
      {(data) => <Matrix data={data} range={range} />}
    </StatBlock>
  )
}

function Matrix({ data: { models, countTime }, range }: { data: Models; range: StatRange }) {
  const worst = Math.max(0.01, ...models.flatMap(({ versions }) => versions.map(({ rate }) => rate ?? 0)))
  return (
    <>
      <div className="kit-scroll">
        <table className="stat-matrix">
          <tbody>
            {models.map((model) => (
              <tr key={model.modelId}>
                <th scope="row">
                  <PermittedLink to={ticketListPath(range, { ...buildCreatedFilter(range), modelId: model.modelId })}>
                    {model.modelName}
                  </PermittedLink>
                  <small className="kit-muted">
                    {model.tickets} 个工单 · {model.devices} 台{model.rate !== null && ` · ${model.rate}‰`}
                  </small>
                </th>
                {model.versions.map((version) => (
                  <Cell key={version.verCode ?? 0} {...{ model, version, worst, range }} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="kit-muted">{countTime ? `设备数统计于 ${countTime}` : '设备数尚未统计，每小时更新一次'}</p>
    </>
  )
}

function Cell(props: { model: Model; version: Version; worst: number; range: StatRange }) {
  const { model, version, worst, range } = props
  const { verCode, verName, releaseTime, tickets, devices, rate } = version
  const isNew =
    releaseTime !== null && releaseTime.slice(0, 10) >= range.startDate && releaseTime.slice(0, 10) <= range.endDate
  const older = model.versions[model.versions.indexOf(version) + 1]?.rate
  const to = ticketListPath(range, {
    ...buildCreatedFilter(range),
    modelId: model.modelId,
    verCode: verCode ?? NO_VERSION,
  })
  const heat = Math.round(((rate ?? 0) / worst) * 60)
  return (
    <td>
      <PermittedLink
        to={to}
        className="stat-cell"
        style={{ background: `color-mix(in srgb, var(--ant-color-error) ${heat}%, transparent)` }}
        title={`${model.modelName} ${verName}\n${tickets} 个工单，${devices} 台激活设备${releaseTime ? `\n发布于 ${releaseTime}` : ''}`}
      >
        <span className="stat-cell-name">{verName}</span>
        <b>{rate === null ? '-' : `${rate}‰`}</b>
        <small>
          {tickets} / {devices}
          {isNew && <Tag color="processing">{releaseTime?.slice(5, 10)} 发布</Tag>}
          {rate !== null && older != null && older > 0 && (
            <span className={rate > older ? 'stat-up' : 'stat-down'}>{rate > older ? '↑' : '↓'}</span>
          )}
        </small>
      </PermittedLink>
    </td>
  )
}
