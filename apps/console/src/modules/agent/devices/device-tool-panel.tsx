import {
  agentDeviceTools,
  type DeviceTool,
  REBOOT_TOOL,
  TOOL_NAMES,
  findToolName,
} from '@oms/contract/agent/devices/device-tool.ts'
import { Empty } from 'antd'
import { useState } from 'react'
import { call } from '#core/api/client.ts'
import { useFormRecord } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { LoadFailed, RowsSkeleton } from '#kit/table/table-state.tsx'

const DeviceToolDialog = lazyAfterRender(() => import('./device-tool-dialog.tsx'), 'DeviceToolDialog')

/** Tools that a connected device offers through the MQTT gateway. Read once, because each read wakes the device. */
export function DeviceToolPanel({ deviceId }: { readonly deviceId: number }) {
  const [chosen, setChosen] = useState<DeviceTool>()
  const { data, error, refetch } = useFormRecord(() => call(agentDeviceTools.list, { id: deviceId }, { quiet: true }))
  if (error) return <LoadFailed refusal={error} onRetry={refetch} />
  if (!data) return <RowsSkeleton rows={4} />
  if (data.list.length === 0)
    return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="设备没有提供可以调用的工具" />
  return (
    <>
      <p className="kit-hint">
        由设备的固件提供，经 MQTT 网关调用，每次调用记入操作日志。设备在启动时检查升级，可用“重启设备”让它立即检查。
      </p>
      <ul className="kit-items">
        {data.list.map((tool) => (
          <li key={tool.name} className="kit-row">
            <span className="kit-main">
              <strong>{findToolName(tool.name)}</strong>
              <small>{tool.name in TOOL_NAMES ? <code>{tool.name}</code> : tool.description}</small>
            </span>
            <RowActions
              items={[
                {
                  label: '调用',
                  to: agentDeviceTools.call,
                  onClick: () => setChosen(tool),
                  ...(tool.name === REBOOT_TOOL && { danger: true }),
                },
              ]}
            />
          </li>
        ))}
      </ul>
      {chosen && <DeviceToolDialog deviceId={deviceId} tool={chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}
