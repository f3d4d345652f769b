import {
  agentParams,
  type ParamSettings,
  SERVER_ACTION,
  type VoiceServerAction,
  type VoiceServerOverview,
} from '@oms/contract/agent/parameters/params.ts'
import { Tabs, Button, Skeleton } from 'antd'
import { useRead, useWrite } from '#core/api/query.ts'
import { useCan, accessToRow, Allowed } from '#core/auth/session.tsx'
import { useSearchParams } from '#core/routing/router.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { ParamTable, buildServerConfig } from './param-table.tsx'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { toast } from '#core/loading/toast.ts'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { time } from '#kit/record/time.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { CodeBlock } from '#kit/record/code-block.tsx'
import { State } from '#kit/record/state.tsx'

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
      tabs={
        <Tabs
          activeKey={view}
          onChange={(next) => show(next, asked)}
          items={Object.entries(VIEWS)
            .filter(([key]) => key !== 'servers' || seesServers)
            .map(([key, label]) => ({ key, label }))}
        />
      }
    >
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

const ParamReveal = lazyAfterRender(() => import('./param-dialogs.tsx'), 'ParamReveal')

interface Input {
  readonly tenantId?: number
}
interface Props {
  readonly input: Input
  readonly sheet: ParamSettings | undefined
}

/** Shows how voice servers connect, which ones called, and their actions. */
function ServerPanel({ input, sheet }: Props) {
  const { data, error, refetch } = useRead(agentParams.servers, input, { quiet: true })
  if (error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton active />
  return (
    <div className="kit-halves">
      <Panel title="连接语音服务">
        <Connect input={input} sheet={sheet} />
      </Panel>
      <div className="kit-stack">
        <Panel title="语音服务地址">
          <Addresses input={input} sheet={sheet} servers={data} />
        </Panel>
        <Panel title="最近调用">
          <Contacts servers={data} />
        </Panel>
      </div>
    </div>
  )
}

function Connect({ input, sheet }: Props) {
  const [isRevealing, setRevealing] = useState(false)
  const renew = useWrite(agentParams.renewSecret)
  const isOwn = sheet?.list.some(({ code, source }) => code === 'server.secret' && source === 1) ?? false
  const until = sheet?.previousSecretUntil
  const isPlatform = sheet?.isPlatform ?? true
  const askRenew = () =>
    void dialogs.confirm({
      title: isOwn ? '更换语音服务密钥？' : '生成自己的语音服务密钥？',
      content: isOwn
        ? '旧密钥还可使用 7 天。新令牌用新密钥签名，请尽快更新语音服务的配置并重启它。'
        : '用这个密钥连接的语音服务只为该客户的设备服务。',
      okText: isOwn ? '更换' : '生成',
      cancelText: '取消',
      onOk: () => renew.mutateAsync(input),
    })
  return (
    <>
      <p className="kit-hint">把下面两行写入语音服务的 data/.config.yaml，再启动它：</p>
      <CodeBlock name="data/.config.yaml">{buildServerConfig(globalThis.location.origin, '••••••••')}</CodeBlock>
      <div className="kit-row">
        {isOwn && (
          <Allowed to={accessToRow(agentParams.reveal, isPlatform)}>
            <Button onClick={() => setRevealing(true)}>查看密钥并复制</Button>
          </Allowed>
        )}
        <Allowed to={accessToRow(agentParams.renewSecret, isPlatform)}>
          <Button onClick={askRenew}>{isOwn ? '更换密钥' : '生成密钥'}</Button>
        </Allowed>
      </div>
      {until && <PreviousSecret until={until} input={input} isPlatform={isPlatform} />}
      {isRevealing && (
        <ParamReveal row={{ code: 'server.secret' }} tenantId={input.tenantId} onClose={() => setRevealing(false)} />
      )}
    </>
  )
}

function PreviousSecret({ until, input, isPlatform }: { until: string; input: Input; isPlatform: boolean }) {
  const end = useWrite(agentParams.endPreviousSecret)
  return (
    <p className="kit-muted kit-row">
      旧密钥有效期至 {until}
      <Allowed to={accessToRow(agentParams.endPreviousSecret, isPlatform)}>
        <Button size="small" danger onClick={() => end.mutate(input)}>
          立即停用旧密钥
        </Button>
      </Allowed>
    </p>
  )
}

function Addresses({ input, sheet, servers }: Props & { servers: VoiceServerOverview }) {
  const { addresses, mayAct, openSessions } = servers
  const { data, isFetching, refetch } = useRead(agentParams.reach, input, { quiet: true })
  const ask = useServerAction(input)
  return (
    <>
      <p className="kit-hint">进行中的会话：{openSessions}</p>
      {addresses.length === 0 && (
        <p className="kit-hint">没有设置 server.websocket，设备使用它访问的主机和 8000 端口。</p>
      )}
      <ul className="kit-items">
        {addresses.map((address) => (
          <li key={address} className="kit-row">
            <code className="kit-main">{address}</code>
            <Reachability of={data?.list.find((each) => each.address === address)} />
            <Allowed to={accessToRow(agentParams.act, sheet?.isPlatform ?? true)}>
              {(Object.keys(SERVER_ACTION) as VoiceServerAction[]).map((action) => (
                <ReasonedButton
                  key={action}
                  size="small"
                  reason={mayAct ? undefined : '请先设置自己的语音服务密钥'}
                  onClick={() => ask(address, action)}
                >
                  {SERVER_ACTION[action]}
                </ReasonedButton>
              ))}
            </Allowed>
          </li>
        ))}
      </ul>
      {addresses.length > 0 && (
        <Button size="small" loading={isFetching} onClick={() => void refetch()}>
          重新检测
        </Button>
      )}
    </>
  )
}

/** Returns the function that asks for confirmation and sends an action to a voice server. */
function useServerAction(input: Input) {
  const act = useWrite(agentParams.act)
  return (address: string, action: VoiceServerAction) =>
    void dialogs.confirm({
      title: `${SERVER_ACTION[action]} ${address}？`,
      content: action === 'restart' ? '重启时正在进行的对话会中断。' : '语音服务重新读取参数，不中断对话。',
      okText: SERVER_ACTION[action],
      okButtonProps: { danger: action === 'restart' },
      cancelText: '取消',
      onOk: () =>
        act.mutateAsync({ address, action, ...input }).then(
          ({ words }) => toast.success(words || '语音服务已执行'),
          () => {},
        ),
    })
}

function Reachability({ of }: { of: { readonly isReachable: boolean; readonly words: string } | undefined }) {
  if (!of) return <State>检测中</State>
  return <State color={of.isReachable ? 'green' : 'red'}>{of.words}</State>
}

function Contacts({ servers: { contacts } }: { servers: VoiceServerOverview }) {
  if (contacts.length === 0)
    return <p className="kit-hint">30 天内没有语音服务调用过。写入配置并启动语音服务后，会出现在这里。</p>
  return (
    <ul className="kit-items">
      {contacts.map(({ address, client, lastTime, baseTime, sessions }) => (
        <li key={`${address} ${client}`} className="kit-row">
          <strong>{address}</strong>
          <small>{client}</small>
          <small>进行中的会话 {sessions}</small>
          <small>最近调用 {time(lastTime)}</small>
          <small>读取配置 {baseTime ? time(baseTime) : '—'}</small>
        </li>
      ))}
    </ul>
  )
}
