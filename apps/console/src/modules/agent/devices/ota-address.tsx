import { CopyText } from '#kit/record/copy-text.tsx'
import './device.css'

/** Shows the OTA address of this installation, with a button that copies it. */
export const OtaAddress = () => (
  <p className="agent-ota">
    OTA 地址 <CopyText text={`${globalThis.location.origin}/xiaozhi/ota/`} />
  </p>
)
