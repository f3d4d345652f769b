import { type DeviceAccess, deviceAccess } from '@oms/contract/device/device-access.ts'
import { Button } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { dialogs } from '#core/loading/overlays.ts'
import { useWrite } from '#core/api/query.ts'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'

type Access = z.output<typeof DeviceAccess>

/**
 * Creates or replaces a tenant's gateway token and shows it once. Separate from the form, which remounts afterwards.
 */
export function GatewayToken({ access: { tenantId, tenantName, hasGatewayToken } }: { access: Access }) {
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
