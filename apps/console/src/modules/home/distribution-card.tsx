import type { DistributionKind, DistributionData } from '@oms/contract/home/home.ts'
import { useState } from 'react'
import { formatCount, formatPercent } from '#core/text/format.ts'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { homeCalls } from './calls.ts'
import { CardChoice, HomeCard } from './home-card.tsx'
import { HomeEmpty } from './home-empty.tsx'
import { useReloadOnChange } from './use-fresh.ts'
import { DISTRIBUTION_LABELS } from './words.ts'

const MINUTE_MS = 60_000
const RESOURCES = ['device']

/** Device distribution: the largest groups, each linking to its devices. */
export function DistributionCard({ spreads }: { spreads: readonly DistributionKind[] }) {
  const [chosen, setChosen] = useState<DistributionKind>()
  const by = chosen && spreads.includes(chosen) ? chosen : (spreads[0] ?? 'type')
  const { data, isPending, isError, refetch } = useRead(
    homeCalls.distribution,
    { by },
    { quiet: true, staleTime: MINUTE_MS },
  )
  useReloadOnChange(RESOURCES, () => void refetch())
  const options = spreads.map((value) => ({ value, label: DISTRIBUTION_LABELS[value] }))
  return (
    <HomeCard
      title="设备分布"
      extra={<CardChoice label="分布方式" value={by} options={options} onChange={(next) => setChosen(next)} />}
      pending={isPending}
      failed={isError}
      onRetry={() => void refetch()}
    >
      {data?.total === 0 && <HomeEmpty text="还没有设备" />}
      {data && data.total > 0 && <Bars {...data} />}
    </HomeCard>
  )
}

function Bars({ total, others, list }: DistributionData) {
  const top = Math.max(others, ...list.map(({ value }) => value))
  const lines = [...list, ...(others > 0 ? [{ name: '其他', value: others, url: '' }] : [])]
  return (
    <ul className="home-bars">
      {lines.map(({ name, value, url }) => (
        <li key={name}>
          <span className="home-bars-name">{url ? <Link to={url}>{name}</Link> : name}</span>
          <span className="home-bars-bar" aria-hidden>
            <span style={{ width: `${(value / top) * 100}%` }} />
          </span>
          <span className="home-bars-value">
            {formatCount(value)} <small>{formatPercent(value / total)}</small>
          </span>
        </li>
      ))}
    </ul>
  )
}
