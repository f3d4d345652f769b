import { deviceAccess } from '@oms/contract/device-group/device-access.ts'
import { Skeleton } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { AccessForm } from './access-form.tsx'
import { ConnectionExamples } from './connection.tsx'
import { GatewayToken } from './gateway-token.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import './device-group.css'

/** Device access of a tenant: tokens, poll interval, URLs and a configuration to copy. */
export default function AccessPage() {
  const [params, setParams] = useSearchParams()
  const asked = params.get('tenantId') ?? ''
  const input = asked ? { tenantId: Number(asked) } : {}
  const { data, error, refetch } = useRead(deviceAccess.get, input, { quiet: true, keepPrevious: false })
  const choose = (id: number | undefined) =>
    setParams(new URLSearchParams(id ? { tenantId: String(id) } : {}), { replace: true })
  return (
    <Page
      title={data ? `「${data.tenantName}」的接入设置` : '接入设置'}
      intro="设备用令牌证明身份，按间隔检查有没有新版本。设置对该客户的全部设备立即生效。"
      extra={<TenantChoice value={asked} onChange={choose} />}
    >
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active />}
      {data && (
        <div className="access-columns">
          <Panel title="接入方式">
            <GatewayToken key={data.tenantId} access={data} />
            <AccessForm key={data.tenantId} loaded={data} />
          </Panel>
          <Panel title="连接信息">
            <ConnectionExamples access={data} />
          </Panel>
        </div>
      )}
    </Page>
  )
}

function TenantChoice({ value, onChange }: { value: string; onChange(id: number | undefined): void }) {
  if (!useHasManyTenants()) return null
  return (
    <label className="access-whose">
      <span>客户</span>
      <TenantPicker value={value} onChange={onChange} placeholder="当前客户" />
    </label>
  )
}
