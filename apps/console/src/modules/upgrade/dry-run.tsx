import { CheckCircleFilled, CloseCircleFilled } from '@ant-design/icons'
import type { ResultOf, InputOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Button, Empty, Input } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Panel } from '#kit/record/page.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { countTrimmedText } from '#kit/form/text-limit.ts'
import './upgrade.css'
import { useReleaseCalls } from './release.tsx'
import type { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call, type ApiError } from '#core/api/client.ts'
import { useDebounced } from '#kit/form/use-debounced.ts'

/** Shows the devices that would receive the version now, and explains the result for a single device. */
export const DryRun = ({ otaId }: { otaId: number }) => (
  <div className="kit-halves">
    <Panel title="现在会收到的设备">
      <Now otaId={otaId} />
    </Panel>
    <Panel title="某台设备为什么（没）收到">
      <DeviceExplanation otaId={otaId} />
    </Panel>
  </div>
)

function Now({ otaId }: { otaId: number }) {
  const { data, error, refetch } = useDryRun(otaId)
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return (
    <>
      <p className="kit-hint kit-sum" role="status">
        <strong>{data.count}</strong> 台设备会在下次检查时收到，该型号共 {data.total} 台
      </p>
      <Part
        title="现在不会收到的设备，按原因"
        rows={data.obstacles.map(({ rule, title, count }) => [rule, title, count])}
      />
      <Part
        title="按当前版本"
        rows={data.versions.map(({ verCode, count }) => [
          verCode ?? '',
          verCode === null ? '从未上报' : `版本 ${verCode}`,
          count,
        ])}
      />
      <Part title="按客户" rows={data.tenants.map(({ id, name, count }) => [id, name, count])} />
      <Part title="按分组" rows={data.groups.map(({ id, name, count }) => [id, name, count])} />
      <Part
        title="按型号"
        rows={data.models.filter(({ count }) => count > 0).map(({ id, name, count }) => [id, name, count])}
      />
      <Sample devices={data.sample} />
    </>
  )
}

function Part({ title, rows }: { title: string; rows: readonly (readonly [string | number, string, number])[] }) {
  if (rows.length === 0) return null
  return (
    <>
      <h3 className="kit-heading">{title}</h3>
      <ul className="kit-lines">
        {rows.map(([key, name, count]) => (
          <li key={key}>
            <span>{name}</span>
            <span>{count} 台</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function Sample({ devices }: { devices: DryRunResult['sample'] }) {
  if (devices.length === 0) return null
  return (
    <>
      <h3 className="kit-heading">样例设备</h3>
      <ul className="kit-lines up-sample">
        {devices.map(({ deviceId, sn, tenantName, verCode, place }) => (
          <li key={deviceId}>
            <span>{sn}</span>
            <span>
              {tenantName} · {verCode === null ? '从未上报' : `版本 ${verCode}`} · 位于 {place / 100}%
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function DeviceExplanation({ otaId }: { otaId: number }) {
  const calls = useReleaseCalls()
  const [text, setText] = useState('')
  const [sn, setSn] = useState('')
  const { data, error, isFetching, refetch } = useRead(
    calls.release.why,
    { otaId, sn },
    { enabled: sn !== '', quiet: true, keepPrevious: false, staleTime: 0 },
  )
  const ask = () => {
    const next = text.trim()
    if (next === sn && sn !== '') void refetch()
    setSn(next)
  }
  return (
    <>
      {/* Shows the spinner only for this request, so that a background refresh does not block the next click. */}
      <DeviceExplanationForm text={text} isLoading={isFetching && text.trim() === sn} onText={setText} onSubmit={ask} />
      {sn === '' && <Empty description="输入序列号，逐条查看发布规则的判断结果" />}
      {error && <Alert style={{ marginTop: 12 }} type="error" showIcon title={error.message} />}
      {data && !error && <DeviceExplanationResult data={data} />}
    </>
  )
}

interface DeviceExplanationFormProps {
  readonly text: string
  readonly isLoading: boolean
  onText(text: string): void
  onSubmit(): void
}

function DeviceExplanationForm({ text, isLoading, onText, onSubmit }: DeviceExplanationFormProps) {
  return (
    <form
      className="up-why"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <Input
        allowClear
        aria-label="设备序列号"
        placeholder="输入设备序列号"
        {...countTrimmedText(64)}
        value={text}
        onChange={({ target }) => onText(target.value)}
      />
      <Button type="primary" htmlType="submit" loading={isLoading} disabled={text.trim() === ''}>
        查看原因
      </Button>
    </form>
  )
}

function DeviceExplanationResult({ data }: { data: ResultOf<ReturnType<typeof useReleaseCalls>['release']['why']> }) {
  return (
    <>
      <Alert
        style={{ marginTop: 12 }}
        type={data.passed ? 'success' : 'warning'}
        showIcon
        title={`${data.sn}：${data.words}`}
      />
      <ul className="kit-lines up-rules" aria-label="逐条规则">
        {data.rules.map(({ rule, title, passed, words }) => (
          <li key={rule}>
            {passed ? (
              <CheckCircleFilled style={{ color: 'var(--ant-color-success)' }} aria-label="满足" />
            ) : (
              <CloseCircleFilled style={{ color: 'var(--ant-color-error)' }} aria-label="不满足" />
            )}
            <span>{title}</span>
            <span className="kit-muted">{words}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

export type DryRunResult = ResultOf<typeof otaRelease.dryRun>
export type Policy = InputOf<typeof otaRelease.dryRun>['policy']

/** Runs a dry run of the stored release, or of the settings being edited. Waits until the user stops typing. */
export function useDryRun(otaId: number, policy?: Policy, enabled = true) {
  const calls = useReleaseCalls()
  const text = useDebounced(JSON.stringify(policy ?? null))
  return useQuery<DryRunResult, ApiError>({
    queryKey: ['upgrade', 'dryRun', otaId, text],
    queryFn: ({ signal }) => {
      const draft = JSON.parse(text) as Policy | null
      return call(calls.release.dryRun, { otaId, ...(draft && { policy: draft }) }, { signal, quiet: true })
    },
    enabled,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
}
