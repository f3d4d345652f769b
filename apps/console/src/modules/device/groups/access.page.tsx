import { deviceAccess, type DeviceAccess } from '@oms/contract/device/device-access.ts'
import { Skeleton, Button } from 'antd'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { AccessForm } from './access-form.tsx'
import { GatewayToken } from './gateway-token.tsx'
import { buildConnectionExamples } from './connection-text.ts'
import { copyLines } from './copy-whole.ts'
import '#kit/record/details.css'

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
        <div className="kit-halves">
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
    <label className="kit-row">
      <span>客户</span>
      <TenantPicker value={value} onChange={onChange} placeholder="当前客户" />
    </label>
  )
}

/** Shows URLs and the SWUpdate configuration for devices. */
function ConnectionExamples({ access }: { access: z.output<typeof DeviceAccess> }) {
  const { ddi, check, report, swupdate } = buildConnectionExamples(globalThis.location.origin, access)
  return (
    <>
      <Addresses ddi={ddi} check={check} report={report} tenantNo={access.tenantNo} />
      <div className="kit-row kit-apart">
        <h3 className="kit-heading">swupdate.cfg</h3>
        <Button size="small" onClick={() => void copyLines(swupdate)}>
          复制配置
        </Button>
      </div>
      <pre className="kit-code kit-note" tabIndex={0} role="region" aria-label="swupdate.cfg">
        {swupdate}
      </pre>
      <p className="kit-hint">
        把 &lt;序列号&gt;、&lt;令牌&gt; 和 &lt;当前版本号&gt; 换成该设备的；序列号须与设备信息中的一致。
      </p>
    </>
  )
}

interface AddressesProps {
  readonly ddi: string
  readonly check: string
  readonly report: string
  readonly tenantNo: string
}

function Addresses({ ddi, check, report, tenantNo }: AddressesProps) {
  return (
    <dl className="kit-details">
      <div className="kit-wide">
        <dt>DDI 地址（SWUpdate、rauc-hawkbit-updater、Zephyr）</dt>
        <dd>
          <CopyText text={ddi} />
        </dd>
      </div>
      <div>
        <dt>租户名（tenant）</dt>
        <dd>
          <CopyText text={tenantNo} />
        </dd>
      </div>
      <div className="kit-wide">
        <dt>简单协议：检查新版本</dt>
        <dd>
          <CopyText text={check} />
        </dd>
      </div>
      <div className="kit-wide">
        <dt>简单协议：上报结果</dt>
        <dd>
          <CopyText text={report} />
        </dd>
      </div>
    </dl>
  )
}
