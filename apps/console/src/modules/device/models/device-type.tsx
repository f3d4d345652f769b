import {
  AlertOutlined,
  ApiOutlined,
  BellOutlined,
  BulbOutlined,
  CarOutlined,
  DesktopOutlined,
  LockOutlined,
  MobileOutlined,
  RobotOutlined,
  SoundOutlined,
  VideoCameraOutlined,
  WifiOutlined,
} from '@ant-design/icons'
import { TYPE_ICONS, type TypeIcon as Name } from '@oms/contract/device/device-type.ts'
import type { ComponentType } from 'react'
import { deviceModels } from '@oms/contract/device/device-model.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

const ICONS: Readonly<Record<Name, ComponentType<{ 'aria-hidden'?: boolean }>>> = {
  'video-camera': VideoCameraOutlined,
  bell: BellOutlined,
  sound: SoundOutlined,
  mobile: MobileOutlined,
  desktop: DesktopOutlined,
  wifi: WifiOutlined,
  bulb: BulbOutlined,
  lock: LockOutlined,
  alert: AlertOutlined,
  car: CarOutlined,
  robot: RobotOutlined,
  api: ApiOutlined,
}

/** Renders a device type's icon, if any. */
export function TypeIcon({ name }: { name: string }) {
  const Icon = ICONS[name as Name]
  return Icon ? <Icon aria-hidden /> : null
}

/** Options of the icon select. */
export const ICON_OPTIONS = Object.entries(TYPE_ICONS).map(([value, words]) => ({
  value,
  label: (
    <>
      <TypeIcon name={value} /> {words}
    </>
  ),
}))

/** Selects a device type. `onlyEnabled`: offers only enabled types. */
export function TypeSelect({ onlyEnabled, ...props }: RecordSelectProps & { onlyEnabled?: true }) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(deviceModels.types, { keyword })
  const options = (read.data ?? [])
    .filter(({ status }) => !onlyEnabled || status === 1)
    .map((type) => ({ value: type.typeId, label: type.status === 1 ? type.typeName : `${type.typeName}（已停用）` }))
  return <RecordSelect {...props} placeholder="请选择设备类型" source={{ options, read, onSearch }} />
}
