import { deviceAccess, type DeviceAccess, DeviceAccessInput } from '@oms/contract/device/device-access.ts'
import { Skeleton, Button, Form } from 'antd'
import type * as z from 'zod'
import { useRead, useWrite } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { buildConnectionExamples } from './connection-text.ts'
import { call } from '#core/api/client.ts'
import { Field, NumberField, SwitchField } from '#kit/form/field.tsx'
import { usePageForm } from '#kit/form/use-page-form.ts'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { useState } from 'react'
import { dialogs } from '#core/loading/overlays.ts'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { toast } from '#core/loading/toast.ts'
import { CodeBlock } from '#kit/record/code-block.tsx'
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
      <CodeBlock name="swupdate.cfg">{swupdate}</CodeBlock>
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

type Access = z.output<typeof DeviceAccess>
const forForm = (access: Access) => ({ ...access, autoModelId: access.autoModelId ?? undefined })

/** Edits the device access settings. */
export function AccessForm({ loaded }: { loaded: Access }) {
  const { tenantId } = loaded
  const { form, saving, dirty } = usePageForm(deviceAccess.update, forForm(loaded), {
    latest: async () => forForm(await call(deviceAccess.get, { tenantId })),
  })
  const gateway = Form.useWatch<number | undefined>('gatewayToken', form.form)
  return (
    <Form {...form} disabled={saving}>
      <SwitchField
        of={DeviceAccessInput}
        name="targetToken"
        on="启用"
        off="停用"
        hint="每台设备有自己的令牌，在设备信息中生成；推荐"
      />
      <GatewaySwitch hasToken={loaded.hasGatewayToken} isOn={gateway === 1} />
      <AutoModelField loaded={loaded} />
      <NumberField
        of={DeviceAccessInput}
        name="pollSeconds"
        unit="秒"
        hint="设备两次检查之间的时间，30 秒到 23 小时；设备越多间隔应越长"
      />
      <Button type="primary" htmlType="submit" loading={saving} disabled={!dirty}>
        保存
      </Button>
    </Form>
  )
}

function GatewaySwitch({ hasToken, isOn }: { hasToken: boolean; isOn: boolean }) {
  return (
    <SwitchField
      of={DeviceAccessInput}
      name="gatewayToken"
      on="启用"
      off="停用"
      disabled={!hasToken && !isOn}
      hint={
        hasToken ? '一个令牌供该客户全部设备使用；泄露后请立即更换' : '一个令牌供该客户全部设备使用；请先生成网关令牌'
      }
    />
  )
}

function AutoModelField({ loaded }: { loaded: Access }) {
  return (
    <Field
      of={DeviceAccessInput}
      name="autoModelId"
      hint="启用网关令牌时，未登记的序列号第一次连接就登记为该型号的设备；不选则拒绝未登记的设备"
    >
      <DeviceModelPicker
        create="deviceModel"
        placeholder="不自动登记"
        chosen={loaded.autoModelId === null ? undefined : { id: loaded.autoModelId, name: loaded.autoModelName }}
      />
    </Field>
  )
}

/**
 * Creates or replaces a tenant's gateway token and shows it once. Separate from the form, which remounts afterwards.
 */
function GatewayToken({ access: { tenantId, tenantName, hasGatewayToken } }: { access: Access }) {
  const renew = useWrite(deviceAccess.renewToken)
  const [made, setMade] = useState<string>()
  const go = () =>
    renew.mutateAsync({ tenantId }).then(
      ({ token }) => setMade(token),
      () => {},
    )
  const ask = () =>
    hasGatewayToken
      ? void dialogs.confirm({
          title: '更换网关令牌？',
          content: '旧令牌立即失效，使用它的设备在换上新令牌之前不能连接。',
          okText: '更换',
          okButtonProps: { danger: true },
          cancelText: '取消',
          onOk: go,
        })
      : void go()
  return (
    <div className="kit-note">
      <Button danger={hasGatewayToken} loading={renew.isPending} onClick={ask}>
        {hasGatewayToken ? '更换网关令牌' : '生成网关令牌'}
      </Button>
      {made && (
        <OneTimeSecret
          title="网关令牌"
          account={tenantName}
          label="网关令牌"
          secret={made}
          hint="把令牌写入设备的配置；之后只能更换，不能再查看。"
          onClose={() => setMade(undefined)}
        />
      )}
    </div>
  )
}

/** Copies several lines to the clipboard; selects them when the browser refuses. */
async function copyLines(text: string) {
  try {
    await navigator.clipboard.writeText(text)
    toast.success('已复制')
  } catch {
    toast.warning('复制失败，请手动复制')
  }
}
