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
