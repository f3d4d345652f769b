import { OTA_STATUS } from '@oms/contract/ota/ota.ts'
import { Tag } from 'antd'

const COLORS: Readonly<Record<number, string>> = { 0: 'default', 1: 'success', 2: 'warning' }

/** Tag with the status of a version. */
export const OtaStatus = ({ status }: { status: number }) => (
  <Tag color={COLORS[status] ?? 'default'}>{OTA_STATUS[status as keyof typeof OTA_STATUS] ?? status}</Tag>
)
