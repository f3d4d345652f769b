import { agentDevices } from '@oms/contract/agent/devices/device.ts'
import { useRead } from '#core/api/query.ts'
import { CopyText } from '#kit/record/copy-text.tsx'
import './device.css'

/**
 * Shows the OTA address of this installation, with a button that copies it. The parameter `server.ota` replaces the
 * address of the console, for devices that reach the installation by another host.
 */
export function OtaAddress() {
  const { data, isPending } = useRead(agentDevices.otaAddress, {}, { quiet: true })
  if (isPending) return <p className="kit-hint agent-ota">OTA 地址</p>
  return (
    <p className="kit-hint agent-ota">
      OTA 地址 <CopyText text={data?.address || `${globalThis.location.origin}/xiaozhi/ota/`} />
    </p>
  )
}
