import { CopyText } from '#kit/record/copy-text.tsx'
import './device.css'

/** Address that a device needs to reach this installation, to copy. */
export const OtaAddress = () => (
  <p className="agent-ota">
    OTA 地址 <CopyText text={`${globalThis.location.origin}/xiaozhi/ota/`} />
  </p>
)
