import { agentParams } from '@oms/contract/agent/parameters/params.ts'
import { Tabs } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { useSearchParams } from '#core/routing/router.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { Page } from '#kit/record/page.tsx'
import { ParamTable } from './param-table.tsx'
import { ServerPanel } from './server-panel.tsx'

const VIEWS = { params: '参数', servers: '语音服务' } as const
type View = keyof typeof VIEWS

/** Parameters of agents and voice servers, of the platform or of one tenant. */
export default function ParamsPage() {
  const [params, setParams] = useSearchParams()
  const view: View = params.get('view') === 'servers' ? 'servers' : 'params'
  const asked = params.get('tenantId') ?? ''
  const seesServers = useCan()(agentParams.servers.access)
  const input = asked ? { tenantId: Number(asked) } : {}
  const { data: sheet } = useRead(agentParams.get, input, { quiet: true })
  const show = (next: string, tenantId: unknown) =>
    setParams(
      new URLSearchParams({
        ...(next !== 'params' && { view: next }),
        ...(Boolean(tenantId) && { tenantId: String(tenantId) }),
      }),
      { replace: true },
    )
  return (
    <Page
      title={sheet ? `「${sheet.tenantName}」的参数` : '参数'}
      intro="设备下次连接时使用新的值。自有值优先于平台值，平台值优先于默认值。"
      extra={<TenantChoice value={asked} onChange={(id) => show(view, id)} />}
    >
      <Tabs
        activeKey={view}
        onChange={(next) => show(next, asked)}
        items={Object.entries(VIEWS)
          .filter(([key]) => key !== 'servers' || seesServers)
          .map(([key, label]) => ({ key, label }))}
        tabBarStyle={{ margin: 0 }}
      />
      {view === 'params' && <ParamTable input={input} />}
      {view === 'servers' && <ServerPanel input={input} sheet={sheet} />}
    </Page>
  )
}

function TenantChoice({ value, onChange }: { value: string; onChange(id: unknown): void }) {
  if (!useHasManyTenants()) return null
  return (
    <label className="kit-row" htmlFor="param-whose">
      <span>客户</span>
      <TenantPicker id="param-whose" value={value} onChange={onChange} placeholder="当前客户" />
    </label>
  )
}
